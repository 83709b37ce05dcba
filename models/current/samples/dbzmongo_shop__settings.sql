-- written by scripts/onboard.py, checksum 3cfffb519650d33b
{{ config(
    meta={
        'feeds': ['demo_debezium_mongodb'],
        'database': 'dbzmongo_shop',
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

{{ table_events(ref('debezium_mongodb_events'), ref('feeds')) }}
