-- the items as they were when the first two messages had come
{{ config(schema='cdc_marts') }}

select id, price from {{ as_of(ref('warehouse__items__history'), offsets={0: 1}) }}
