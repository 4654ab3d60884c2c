"""Mutants for the checks of chapter W, worked examples."""
