-- written by scripts/onboard.py, checksum aeabe8689dc7a749
{{ config(
    meta={
        'feeds': ['demo_canal'],
        'database': 'canal_shop',
        'table': 'visits',
        'key': [],
        'columns': {
            'page': 'string',
        },
    },
) }}

{{ table_events(ref('canal_events'), ref('feeds')) }}
