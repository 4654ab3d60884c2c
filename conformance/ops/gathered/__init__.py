"""Reductions of entries that are gathered by a condition: those that are numbers, those of one index."""
