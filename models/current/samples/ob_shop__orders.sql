-- written by scripts/onboard.py, checksum bc03fd5b06063753
{{ config(
    meta={
        'feeds': ['demo_oceanbase_default'],
        'database': 'ob_shop',
        'table': 'orders',
        'key': ['id'],
        'columns': {
            'id': 'decimal(38,0)',
            'customer_id': 'bigint',
            'status': 'string',
            'total': 'decimal(38,2)',
            'weight': 'decimal(38,1)',
            'payload': 'string',
            'ordered_at': 'timestamp_ntz',
            'paid_at': 'timestamp from epoch_seconds',
            'slot': 'string',
        },
    },
) }}

{{ table_events(ref('oceanbase_default_events'), ref('feeds')) }}
