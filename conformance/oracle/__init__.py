"""The oracle: proofs of the catalogue's rules, and the error that an engine is allowed."""
