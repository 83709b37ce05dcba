-- written by scripts/onboard.py, checksum 358586800988f9ec
{{ config(
    meta={
        'feeds': ['demo_ogg_json'],
        'schema': 'OGG_SHOP',
        'table': 'ORDERS',
        'key': ['ID'],
        'columns': {
            'ID': 'bigint from exact',
            'BUYER': 'string',
            'TOTAL': 'decimal(38,2) from exact',
            'NOTE': 'string',
            'PHOTO': 'string',
            'ORDERED_ON': 'timestamp_ntz',
            'PAID_AT': 'timestamp_ntz',
        },
    },
) }}

{{ table_events(ref('ogg_json_events'), ref('feeds')) }}
