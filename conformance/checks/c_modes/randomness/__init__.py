"""Random numbers of the engine's own (C12)."""
