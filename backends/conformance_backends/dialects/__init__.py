"""How calls of engines are written in scripts."""
