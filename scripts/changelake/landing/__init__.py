"""From Kafka to bronze, exactly once."""
