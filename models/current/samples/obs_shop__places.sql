-- written by scripts/onboard.py, checksum e0c87c03a59e1427
{{ config(
    meta={
        'feeds': ['demo_oceanbase_shareplex'],
        'database': 'obs_shop',
        'table': 'places',
        'key': ['room', 'no'],
        'columns': {
            'label': 'string',
            'room': 'string',
            'no': 'bigint',
        },
    },
) }}

{{ table_events(ref('oceanbase_shareplex_events'), ref('feeds')) }}
