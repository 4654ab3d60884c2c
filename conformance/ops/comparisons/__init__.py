"""Ops that compare: entries by their order, vectors by their distance or their angle."""
