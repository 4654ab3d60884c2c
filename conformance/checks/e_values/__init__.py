"""Chapter E: values."""
