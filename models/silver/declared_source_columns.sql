-- A table: with hundreds of models, the text is too long for a view in the embedded catalog.
{{ config(materialized='table', partition_by=none, tblproperties=none) }}

{{ declared_source_columns() }}
