"""Mutants whose compositions are wrong, though their ops alone are right."""
