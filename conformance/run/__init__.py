"""A run: which questions are asked of which backends, with what result."""
