-- written by scripts/onboard.py, checksum 4bac6fe9db92a331
{{ config(
    meta={
        'feeds': ['demo_canal'],
        'database': 'canal_shop',
        'table': 'customers',
        'key': ['id'],
        'columns': {
            'id': 'int',
            'name': 'string',
            'email': 'string',
        },
    },
) }}

{{ table_events(ref('canal_events'), ref('feeds')) }}
