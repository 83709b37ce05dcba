-- written by scripts/onboard.py, checksum 2b7842e697ec088a
{{ config(
    meta={
        'feeds': ['demo_ticdc'],
        'database': 'ti_shop',
        'table': 'parcels',
        'key': ['code'],
        'columns': {
            'code': 'string',
            'weight': 'decimal(10,2)',
            'label': 'binary from base64',
            'photo': 'binary from base64',
            'state': "string from enum('new','it''s')",
            'sent_at': 'timestamp from located',
            'boxes': 'bigint',
            'note': 'string',
        },
    },
) }}

{{ table_events(ref('ticdc_events'), ref('feeds')) }}
