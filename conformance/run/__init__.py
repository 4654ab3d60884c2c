"""A run: which questions are asked of which backends, and what came of them."""
