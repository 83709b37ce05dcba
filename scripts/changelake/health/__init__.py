"""A lake's health: figures from the monitoring models, as a page and as metrics."""
