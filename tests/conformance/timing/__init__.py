"""The timing comparison, tested without ever asserting a time."""
