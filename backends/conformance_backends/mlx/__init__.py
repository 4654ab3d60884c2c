"""The adapter to MLX."""
