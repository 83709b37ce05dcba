"""dbt in this process: builds what has pending changes, and reports it."""
