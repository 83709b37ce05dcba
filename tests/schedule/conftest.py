"""Shared fixtures: the broker."""

from python.conftest import broker, topic

__all__ = ["broker", "topic"]
