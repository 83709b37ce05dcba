"""Shared fixtures: Spark and a copy of the project."""

from python.conftest import lake, project, spark

__all__ = ["lake", "project", "spark"]
