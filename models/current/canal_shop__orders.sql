{{ config(
    meta={
        'feeds': ['demo_canal'],
        'database': 'shop',
        'table': 'orders',
        'key': ['id'],
        'columns': {
            'id': 'decimal(20,0)',
            'name': 'string',
            'price': 'decimal(10,2)',
        },
    },
) }}

{{ table_events(ref('canal_events'), ref('feeds')) }}
