"""What `sql.py` shows."""
