-- written by scripts/onboard.py, checksum 3a7527b5c9175495
{{ config(
    meta={
        'feeds': ['demo_oceanbase_shareplex'],
        'database': 'obs_shop',
        'table': 'stock',
        'key': ['id'],
        'columns': {
            'id': 'decimal(38,0)',
            'name': 'string',
            'price': 'decimal(38,8)',
            'weight': 'decimal(38,1)',
            'photo': 'string',
            'facts': 'string',
            'made_on': 'date',
            'added_at': 'timestamp_ntz',
            'sold_at': 'timestamp from epoch_seconds',
            'shift': 'string',
        },
    },
) }}

{{ table_events(ref('oceanbase_shareplex_events'), ref('feeds')) }}
