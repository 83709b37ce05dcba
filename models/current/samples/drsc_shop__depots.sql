-- written by scripts/onboard.py, checksum dbe277df1d32e872
{{ config(
    meta={
        'feeds': ['demo_drs_json_c'],
        'database': 'drsc_shop',
        'table': 'depots',
        'key': ['country', 'code'],
        'columns': {
            'country': 'string',
            'code': 'string',
            'name': 'string',
            'opened': 'date',
            'closes': 'string from time',
            'rent': 'decimal(38,2)',
        },
    },
) }}

{{ table_events(ref('drs_json_c_events'), ref('feeds')) }}
