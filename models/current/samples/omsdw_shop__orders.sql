-- written by scripts/onboard.py, checksum 0a6a88a50b9a4a67
{{ config(
    meta={
        'feeds': ['demo_oceanbase_dataworks'],
        'database': 'omsdw_shop',
        'table': 'orders',
        'key': ['id'],
        'columns': {
            'id': 'decimal(38,0)',
            'buyer': 'string',
            'total': 'decimal(38,10)',
            'weight': 'double',
            'attributes': 'string',
            'payload': 'binary from base64',
            'ordered_at': 'timestamp_ntz from epoch_millis_nanos',
            'paid_at': 'timestamp from epoch_seconds',
            'slot': 'string from time',
        },
    },
) }}

{{ table_events(ref('oceanbase_dataworks_events'), ref('feeds')) }}
