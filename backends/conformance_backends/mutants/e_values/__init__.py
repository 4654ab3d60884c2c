"""Mutants for the checks of chapter E, values."""
