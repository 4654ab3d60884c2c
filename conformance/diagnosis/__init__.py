"""Diagnosis: why a gradient differs from the reference VJP, and what other engines answer to the same case."""
