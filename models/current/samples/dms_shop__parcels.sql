-- written by scripts/onboard.py, checksum f5a154317c661a35
{{ config(
    meta={
        'feeds': ['demo_dms_json'],
        'schema': 'dms_shop',
        'table': 'parcels',
        'key': ['id'],
        'columns': {
            'id': 'bigint',
            'depot': 'string',
            'weight': 'decimal(12,3)',
            'fragile': 'boolean',
            'label': 'binary from hex',
            'due_on': 'date',
            'handed_at': 'timestamp',
            'remark': 'string',
        },
    },
) }}

{{ table_events(ref('dms_json_events'), ref('feeds')) }}
