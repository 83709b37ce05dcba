"""How a lake is: figures of the models of monitoring, as a page and as metrics."""
