"""What the scripts of changelake share."""
