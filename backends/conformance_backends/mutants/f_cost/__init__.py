"""Mutants for the checks of chapter F, cost."""
