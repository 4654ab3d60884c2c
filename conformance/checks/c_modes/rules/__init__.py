"""Custom rules (C5)."""
