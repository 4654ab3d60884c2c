"""The oracle: exact derivatives, with the error that an engine is allowed."""
