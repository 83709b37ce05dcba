-- written by scripts/onboard.py, checksum 97a7729e1e034219
{{ config(
    meta={
        'feeds': ['demo_drs_json_c'],
        'database': 'drsc_shop',
        'table': 'parcels',
        'key': ['id'],
        'columns': {
            'id': 'decimal(20,0)',
            'depot': 'string',
            'state': 'string',
            'price': 'decimal(38,4)',
            'seal': 'binary from byte_list',
            'extras': 'string',
            'packed_at': 'timestamp_ntz',
            'sent_at': 'timestamp',
        },
    },
) }}

{{ table_events(ref('drs_json_c_events'), ref('feeds')) }}
