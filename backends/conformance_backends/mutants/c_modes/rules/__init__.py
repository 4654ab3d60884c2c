"""Mutants of custom rules (C5)."""
