-- written by scripts/onboard.py, checksum eff4dc172b989bec
{{ config(
    meta={
        'feeds': ['demo_ticdc'],
        'database': 'ti_shop',
        'table': 'orders',
        'key': ['id'],
        'columns': {
            'id': 'decimal(20,0)',
            'buyer': 'string',
            'kind': "string from enum('a','b','it''s')",
            'tags': "string from set('gift','express')",
            'total': 'decimal(30,10)',
            'payload': 'binary from latin1',
            'attributes': 'string',
            'ordered_at': 'timestamp_ntz',
            'paid_at': 'timestamp from located',
            'slot': 'string from time',
            'flags': 'decimal(20,0)',
        },
    },
) }}

{{ table_events(ref('ticdc_events'), ref('feeds')) }}
