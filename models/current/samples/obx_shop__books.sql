-- written by scripts/onboard.py, checksum c0a984d31dfac73a
{{ config(
    meta={
        'feeds': ['demo_oceanbase_default_extended'],
        'database': 'obx_shop',
        'table': 'books',
        'key': ['id'],
        'columns': {
            'id': 'decimal(38,0)',
            'title': 'string',
            'price': 'decimal(38,8)',
            'pages': 'int',
            'copies': 'bigint',
            'cover': 'binary from base64',
            'facts': 'string',
            'printed_on': 'date',
            'added_at': 'timestamp_ntz',
            'lent_at': 'timestamp from epoch_seconds',
            'opens': 'string from time',
            'rating': 'double',
        },
    },
) }}

{{ table_events(ref('oceanbase_default_extended_events'), ref('feeds')) }}
