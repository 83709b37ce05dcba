-- written by scripts/onboard.py, checksum b38cf008698b3013
{{ config(
    meta={
        'feeds': ['demo_drs_json'],
        'database': 'drs_stock',
        'schema': 'public',
        'table': 'items',
        'key': ['id'],
        'columns': {
            'id': 'bigint',
            'label': 'string',
            'seen_at': 'timestamp',
            'raw': 'binary from hex',
        },
    },
) }}

{{ table_events(ref('drs_json_events'), ref('feeds')) }}
