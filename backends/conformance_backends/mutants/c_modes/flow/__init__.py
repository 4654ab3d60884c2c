"""Mutants of loops and branches of the engine's own (C11)."""
