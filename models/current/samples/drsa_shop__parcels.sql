-- written by scripts/onboard.py, checksum e0c5042072e4f0d6
{{ config(
    meta={
        'feeds': ['demo_drs_avro'],
        'database': 'drsa_shop',
        'table': 'parcels',
        'key': ['order_id', 'no'],
        'columns': {
            'order_id': 'bigint',
            'no': 'int',
            'weight': 'decimal(38,1)',
        },
    },
) }}

{{ table_events(ref('drs_avro_events'), ref('feeds')) }}
