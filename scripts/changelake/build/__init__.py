"""dbt in this process: what has pending changes, and what became of it."""
