{{ config(
    meta={
        'feeds': ['crm'],
        'database': 'crm',
        'schema': 'public',
        'table': 'people',
        'key': ['id'],
        'columns': {'id': 'bigint', 'name': 'string'},
    },
) }}

{{ table_events(ref('debezium_events'), ref('feeds')) }}
