"""Linear algebra of the engines whose other ops stand in `torch_ops` and `jax_ops`."""
