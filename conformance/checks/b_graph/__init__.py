"""Chapter B: accumulation and the graph."""
