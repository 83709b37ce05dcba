-- written by scripts/onboard.py, checksum 324864e9e58b88cd
{{ config(
    meta={
        'feeds': ['demo_ckafka_format_one'],
        'database': 'ckafka_shop',
        'table': 'items',
        'key': ['sku'],
        'columns': {
            'sku': 'string',
            'name': 'string',
            'price': 'decimal(38,2)',
            'stock': 'bigint',
            'colour': 'string',
        },
    },
) }}

{{ table_events(ref('ckafka_format_one_events'), ref('feeds')) }}
