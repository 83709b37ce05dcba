"""What every command stands on: settings, feeds, files, the terminal, errors."""
