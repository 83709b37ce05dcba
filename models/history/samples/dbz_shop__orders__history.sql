-- written by scripts/onboard.py, checksum 4d492f9ab4847d4e
{{ config(alias='dbz_shop__orders', meta={'current': 'dbz_shop__orders'}) }}

{{ table_events(ref('debezium_events'), ref('feeds')) }}
