{{ config(alias='warehouse__items', meta={'current': 'warehouse__items'}) }}

{{ table_events(ref('canal_events'), ref('feeds')) }}
