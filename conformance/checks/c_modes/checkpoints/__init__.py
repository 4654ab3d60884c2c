"""Checkpointed functions that capture arrays in places of their own (C6)."""
