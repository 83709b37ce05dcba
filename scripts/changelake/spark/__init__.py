"""Java, the jars, the session and its catalog."""
