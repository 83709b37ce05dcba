{{ config(
    meta={
        'feeds': ['warehouse'],
        'database': 'warehouse',
        'table': 'items',
        'key': ['id'],
        'columns': {'id': 'bigint', 'price': 'decimal(12,2)', 'changed_at': 'timestamp'},
    },
) }}

{{ table_events(ref('canal_events'), ref('feeds')) }}
