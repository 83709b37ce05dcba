-- written by scripts/onboard.py, checksum 53a5b16cd56f14e4
{{ config(
    meta={
        'feeds': ['demo_ogg_json'],
        'schema': 'OGG_SHOP',
        'table': 'VISITS',
        'key': ['PAGE', 'SEEN_AT'],
        'columns': {
            'PAGE': 'string',
            'SEEN_AT': 'timestamp_ntz',
            'SECONDS': 'bigint from exact',
        },
    },
) }}

{{ table_events(ref('ogg_json_events'), ref('feeds')) }}
