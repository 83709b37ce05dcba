-- written by scripts/onboard.py, checksum d480ad92a7cf8ec8
{{ config(
    meta={
        'feeds': ['demo_cloudcanal_json'],
        'database': 'cc_geo',
        'schema': 'rent',
        'table': 'tenants',
        'key': ['shop', 'code'],
        'columns': {
            'shop': 'int',
            'code': 'string',
            'active': 'boolean',
            'rate': 'decimal(38,18)',
            'tags': 'string',
            'opens': 'string from time',
            'since': 'timestamp',
        },
    },
) }}

{{ table_events(ref('cloudcanal_json_events'), ref('feeds')) }}
