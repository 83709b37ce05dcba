-- written by scripts/onboard.py, checksum 33456c8b59b93d1a
{{ config(
    meta={
        'feeds': ['demo_debezium_avro'],
        'database': 'dbza_shop',
        'table': 'orders',
        'key': ['id'],
        'columns': {
            'id': 'bigint',
            'customer': 'string',
            'total': 'decimal(10,2) from base64_unscaled(2)',
            'placed_on': 'date from epoch_days',
            'updated_at': 'timestamp_ntz from epoch_micros',
            'note': 'string',
        },
    },
) }}

{{ table_events(ref('debezium_avro_events'), ref('feeds')) }}
