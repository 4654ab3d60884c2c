"""Loops and branches of the engine's own (C11)."""
