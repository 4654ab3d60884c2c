"""Mutants that are wrong in a few binades of their domain, or at its ends."""
