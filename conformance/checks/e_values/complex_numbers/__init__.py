"""Chapter E: values and derivatives at complex operands."""
