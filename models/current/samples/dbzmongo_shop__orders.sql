-- written by scripts/onboard.py, checksum 7a4b96c0413452fe
{{ config(
    meta={
        'feeds': ['demo_debezium_mongodb'],
        'database': 'dbzmongo_shop',
        'table': 'orders',
        'key': ['_id'],
        'columns': {
            '_id': 'string from extended_json',
            'no': 'bigint from extended_json',
            'remark': 'string',
            'title': 'string',
            'seen_at': 'string',
            'weight': 'double from extended_json',
            'qty': 'bigint from extended_json',
            'shipped_at': 'timestamp from extended_json',
            'photo': 'binary from extended_json',
            'price': 'decimal(38,4) from extended_json',
            'paid': 'boolean from exact',
            'ordered_at': 'timestamp from extended_json',
            'token': 'binary from extended_json',
            'customer': 'string',
            'lines': 'string',
            'tags': 'string',
            '_document': 'string from document',
        },
    },
) }}

{{ table_events(ref('debezium_mongodb_events'), ref('feeds')) }}
