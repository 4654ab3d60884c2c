"""What proves a row right, and what error an engine is allowed."""
