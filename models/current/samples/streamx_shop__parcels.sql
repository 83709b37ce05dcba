-- written by scripts/onboard.py, checksum 6dbe928cf3824e62
{{ config(
    meta={
        'feeds': ['demo_dataworks_streamx'],
        'database': 'streamx_shop',
        'table': 'parcels',
        'key': ['id'],
        'columns': {
            'id': 'decimal(38,0)',
            'name': 'string',
            'price': 'double from exact',
            'is_new': 'boolean',
            'photo': 'binary from base64',
            'made_on': 'timestamp_ntz from epoch_millis_nanos',
            'seen_at': 'timestamp_ntz from epoch_millis_nanos',
        },
    },
) }}

{{ table_events(ref('dataworks_streamx_events'), ref('feeds')) }}
