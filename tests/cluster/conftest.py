"""What the tests share: the broker."""

from python.conftest import broker, topic

__all__ = ["broker", "topic"]
