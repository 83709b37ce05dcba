-- written by scripts/onboard.py, checksum 3d9755ec4dbb0374
{{ config(
    meta={
        'feeds': ['demo_drs_avro'],
        'database': 'drsa_shop',
        'table': 'orders',
        'key': ['id'],
        'columns': {
            'id': 'decimal(20,0)',
            'buyer': 'string',
            'total': 'decimal(38,4)',
            'weight': 'double',
            'payload': 'binary from base64',
            'ordered_at': 'timestamp_ntz',
            'paid_at': 'timestamp from epoch_seconds',
            'flags': 'string',
        },
    },
) }}

{{ table_events(ref('drs_avro_events'), ref('feeds')) }}
