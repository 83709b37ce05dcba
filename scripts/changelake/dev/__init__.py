"""For the demo, benchmarks, tests, and whoever adds a format."""
