"""What smoke claims of an adapter, beside its arrays and plain gradients: what its engine offers further, and how its calls are written."""
