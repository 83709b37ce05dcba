-- written by scripts/onboard.py, checksum 80bd0164216c3390
{{ config(
    meta={
        'feeds': ['demo_debezium'],
        'database': 'dbz_shop',
        'table': 'orders',
        'key': ['id'],
        'columns': {
            'id': 'bigint',
            'customer': 'string',
            'amount': 'decimal(20,2) from base64_unscaled(2)',
            'serial': 'decimal(20,0) from base64_unscaled(0)',
            'paid_at': 'timestamp_ntz from epoch_micros',
            'placed_on': 'date from epoch_days',
            'photo': 'binary from base64',
            'extra': 'string',
            'flags': 'decimal(20,0) from bits',
        },
    },
) }}

{{ table_events(ref('debezium_events'), ref('feeds')) }}
