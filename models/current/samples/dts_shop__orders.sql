-- written by scripts/onboard.py, checksum 23fbbdd182be00a2
{{ config(
    meta={
        'feeds': ['demo_dts_avro'],
        'database': 'dts_shop',
        'table': 'orders',
        'key': ['id'],
        'columns': {
            'id': 'decimal(20,0)',
            'buyer': 'string',
            'note': 'string',
            'total': 'decimal(38,10)',
            'weight': 'double',
            'payload': 'binary from base64',
            'ordered_at': 'timestamp_ntz',
            'paid_at': 'timestamp from epoch_seconds',
            'slot': 'string from time',
            'born': 'int',
            'attributes': 'string',
        },
    },
) }}

{{ table_events(ref('dts_avro_events'), ref('feeds')) }}
