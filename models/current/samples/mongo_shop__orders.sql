-- written by scripts/onboard.py, checksum e9823cb25c383307
{{ config(
    meta={
        'feeds': ['demo_drs_mongo'],
        'database': 'mongo_shop',
        'table': 'orders',
        'key': ['_id'],
        'columns': {
            '_id': 'string from extended_json',
            'no': 'bigint from extended_json',
            'remark': 'string',
            'paid': 'boolean from exact',
            'seen_at': 'string',
            'title': 'string',
            'photo': 'binary from extended_json',
            'weight': 'double from extended_json',
            'qty': 'bigint from extended_json',
            'price': 'decimal(38,4) from extended_json',
            'ordered_at': 'timestamp from extended_json',
            'customer': 'string',
            'token': 'string from extended_json',
            'lines': 'string',
            '_document': 'string from document',
        },
    },
) }}

{{ table_events(ref('drs_mongo_events'), ref('feeds')) }}
