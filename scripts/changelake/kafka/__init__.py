"""Kafka's client, and a broker of this machine's own."""
