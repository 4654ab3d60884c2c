"""Mutants that are wrong at complex operands."""
