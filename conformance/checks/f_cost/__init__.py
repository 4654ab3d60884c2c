"""Chapter F: cost."""
