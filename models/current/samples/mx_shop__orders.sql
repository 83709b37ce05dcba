-- written by scripts/onboard.py --schema, checksum 3d23d8450dab03ff
{{ config(
    meta={
        'feeds': ['demo_maxwell'],
        'database': 'mx_shop',
        'table': 'orders',
        'key': ['id'],
        'columns': {
            'id': 'decimal(20,0)',
            'buyer': 'string',
            'total': 'decimal(30,10)',
            'rate': 'double',
            'tags': 'string from json_list',
            'attributes': 'string',
            'payload': 'binary from base64',
            'ordered_at': 'timestamp_ntz',
            'paid_at': 'timestamp',
        },
    },
) }}

{{ table_events(ref('maxwell_events'), ref('feeds')) }}
