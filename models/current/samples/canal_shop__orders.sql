-- written by scripts/onboard.py, checksum 53aa73af43e2d5ee
{{ config(
    meta={
        'feeds': ['demo_canal'],
        'database': 'canal_shop',
        'table': 'orders',
        'key': ['id'],
        'columns': {
            'id': 'decimal(20,0)',
            'customer_id': 'int',
            'status': 'string',
            'kind': "string from enum('a','b')",
            'total': 'decimal(30,10)',
            'payload': 'binary from latin1',
            'attributes': 'string',
            'ordered_at': 'timestamp_ntz',
            'day': 'date',
            'slot': 'string from time',
        },
    },
) }}

{{ table_events(ref('canal_events'), ref('feeds')) }}
