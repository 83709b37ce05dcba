-- written by scripts/onboard.py, checksum abb432fc1d7735d9
{{ config(
    meta={
        'feeds': ['demo_dts_avro'],
        'database': 'dts_shop',
        'table': 'shelves',
        'key': ['depot', 'shelf'],
        'columns': {
            'depot': 'bigint',
            'shelf': 'string',
            'goods': 'bigint',
            'place': 'binary from base64',
        },
    },
) }}

{{ table_events(ref('dts_avro_events'), ref('feeds')) }}
