"""Mutants of checkpoints that lose what is captured in some places (C6)."""
