"""Writes the models of tables, from what their events show."""
