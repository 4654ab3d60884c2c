"""The adapter to TensorFlow, and its table of ops."""
