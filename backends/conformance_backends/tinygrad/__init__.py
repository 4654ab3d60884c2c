"""The adapter to tinygrad."""
