-- written by scripts/onboard.py, checksum fe8e25b9da25034e
{{ config(
    meta={
        'feeds': ['demo_debezium'],
        'database': 'dbz_crm',
        'schema': 'public',
        'table': 'customers',
        'key': ['id'],
        'columns': {
            'id': 'bigint',
            'name': 'string',
            'balance': 'string',
            'seen_at': 'timestamp',
            'bio': 'string',
            'tags': 'string',
            'note': 'string',
        },
    },
) }}

{{ table_events(ref('debezium_events'), ref('feeds')) }}
