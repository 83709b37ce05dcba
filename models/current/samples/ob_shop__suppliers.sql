-- written by scripts/onboard.py, checksum 232e95a08bddfb65
{{ config(
    meta={
        'feeds': ['demo_oceanbase_default'],
        'database': 'OB_SHOP',
        'table': 'SUPPLIERS',
        'key': ['ID'],
        'columns': {
            'ID': 'bigint',
            'NAME': 'string',
        },
    },
) }}

{{ table_events(ref('oceanbase_default_events'), ref('feeds')) }}
