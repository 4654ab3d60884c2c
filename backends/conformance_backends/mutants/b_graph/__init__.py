"""Mutants for the checks of chapter B, the graph."""
