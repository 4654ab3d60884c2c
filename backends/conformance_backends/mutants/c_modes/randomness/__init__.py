"""Mutants of random numbers of the engine's own (C12)."""
