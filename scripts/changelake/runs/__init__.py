"""Runs: each lands and builds in one session, once or repeatedly."""
