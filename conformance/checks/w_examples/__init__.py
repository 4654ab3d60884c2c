"""Chapter W: worked examples."""
