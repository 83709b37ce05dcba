-- written by scripts/onboard.py, checksum 4fead55cd991968e
{{ config(
    meta={
        'feeds': ['demo_drs_mongo'],
        'database': 'mongo_shop',
        'table': 'settings',
        'key': ['_id'],
        'columns': {
            '_id': 'string',
            'value': 'string',
            'least': 'string',
            '_document': 'string from document',
        },
    },
) }}

{{ table_events(ref('drs_mongo_events'), ref('feeds')) }}
