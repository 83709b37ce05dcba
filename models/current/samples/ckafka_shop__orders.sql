-- written by scripts/onboard.py, checksum d2317853421cbdd3
{{ config(
    meta={
        'feeds': ['demo_ckafka_format_one'],
        'database': 'ckafka_shop',
        'table': 'orders',
        'key': ['id'],
        'columns': {
            'id': 'decimal(38,0)',
            'buyer': 'string',
            'total': 'decimal(38,10)',
            'attributes': 'string',
            'payload': 'string',
            'ordered_at': 'timestamp_ntz',
            'paid_at': 'timestamp_ntz',
            'slot': 'string',
        },
    },
) }}

{{ table_events(ref('ckafka_format_one_events'), ref('feeds')) }}
