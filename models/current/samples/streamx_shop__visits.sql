-- written by scripts/onboard.py, checksum 90d4fd95b404060f
{{ config(
    meta={
        'feeds': ['demo_dataworks_streamx'],
        'database': 'streamx_shop',
        'table': 'visits',
        'key': ['#alibaba_rds_row_id#'],
        'columns': {
            'page': 'string',
            'took': 'bigint',
            '#alibaba_rds_row_id#': 'bigint',
        },
    },
) }}

{{ table_events(ref('dataworks_streamx_events'), ref('feeds')) }}
