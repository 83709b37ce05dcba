-- written by scripts/onboard.py, checksum 49335334c5cc2fc8
{{ config(
    meta={
        'feeds': ['demo_drs_json'],
        'database': 'drs_shop',
        'table': 'orders',
        'key': ['id'],
        'columns': {
            'id': 'decimal(20,0)',
            'customer_id': 'int',
            'status': 'string',
            'total': 'decimal(38,2)',
            'payload': 'binary from byte_list',
            'attributes': 'string',
            'ordered_at': 'timestamp_ntz',
            'paid_at': 'timestamp from epoch_seconds',
        },
    },
) }}

{{ table_events(ref('drs_json_events'), ref('feeds')) }}
