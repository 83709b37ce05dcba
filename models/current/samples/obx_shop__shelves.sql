-- written by scripts/onboard.py, checksum f3a6dd187b82a94f
{{ config(
    meta={
        'feeds': ['demo_oceanbase_default_extended'],
        'database': 'obx_shop',
        'table': 'shelves',
        'key': ['room', 'no'],
        'columns': {
            'room': 'string',
            'no': 'smallint',
            'label': 'string',
            'height': 'int',
        },
    },
) }}

{{ table_events(ref('oceanbase_default_extended_events'), ref('feeds')) }}
