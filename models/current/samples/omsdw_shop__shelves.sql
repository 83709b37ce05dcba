-- written by scripts/onboard.py, checksum 343c055836a3f7c6
{{ config(
    meta={
        'feeds': ['demo_oceanbase_dataworks'],
        'database': 'omsdw_shop',
        'table': 'shelves',
        'key': ['depot', 'shelf'],
        'columns': {
            'depot': 'int',
            'shelf': 'string',
            'checked_at': 'timestamp_ntz from epoch_millis_nanos',
            'is_open': 'tinyint',
        },
    },
) }}

{{ table_events(ref('oceanbase_dataworks_events'), ref('feeds')) }}
