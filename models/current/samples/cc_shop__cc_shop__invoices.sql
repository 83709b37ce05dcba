-- written by scripts/onboard.py, checksum 174b80a2f7cab4b8
{{ config(
    meta={
        'feeds': ['demo_cloudcanal_json'],
        'database': 'cc_shop',
        'schema': 'cc_shop',
        'table': 'invoices',
        'key': ['id'],
        'columns': {
            'id': 'decimal(20,0)',
            'buyer': 'string',
            'amount': 'decimal(30,10)',
            'scan': 'string',
            'details': 'string',
            'state': 'string',
            'issued_at': 'timestamp_ntz',
            'due': 'date',
        },
    },
) }}

{{ table_events(ref('cloudcanal_json_events'), ref('feeds')) }}
