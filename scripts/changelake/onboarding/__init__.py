"""From the events that came to the models of their tables."""
