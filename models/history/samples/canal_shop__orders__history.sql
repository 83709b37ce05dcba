-- written by scripts/onboard.py, checksum 835288d62c36594e
{{ config(alias='canal_shop__orders', meta={'current': 'canal_shop__orders'}) }}

{{ table_events(ref('canal_events'), ref('feeds')) }}
