-- written by scripts/onboard.py, checksum dc67300964bf476f
{{ config(alias='canal_shop__visits', meta={'current': 'canal_shop__visits'}) }}

{{ table_events(ref('canal_events'), ref('feeds')) }}
