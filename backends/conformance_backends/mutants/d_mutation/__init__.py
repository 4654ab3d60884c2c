"""Mutants for the checks of chapter D, mutation."""
