"""Mutants for the checks of chapter C, modes."""
