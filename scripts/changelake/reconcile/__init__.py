"""Compares a current table with its source."""
