"""Mutants for the checks of chapter A, results."""
