"""Mutants made by program: of rules, of the reference engine's source, and under a drawn condition."""
