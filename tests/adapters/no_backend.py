"""A file that holds no adapter."""

ANSWER = 42
