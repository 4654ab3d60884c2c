"""A run: which questions are run on which backends, with what results."""
