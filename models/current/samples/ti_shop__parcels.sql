-- written by scripts/onboard.py, checksum 5fedcca4856cedd1
{{ config(
    meta={
        'feeds': ['demo_ticdc'],
        'database': 'ti_shop',
        'table': 'parcels',
        'key': ['code'],
        'columns': {
            'boxes': 'bigint',
            'code': 'string',
            'label': 'binary from base64',
            'photo': 'binary from base64',
            'sent_at': 'timestamp from located',
            'state': "string from enum('new','it''s')",
            'weight': 'decimal(10,2)',
            'note': 'string',
        },
    },
) }}

{{ table_events(ref('ticdc_events'), ref('feeds')) }}
