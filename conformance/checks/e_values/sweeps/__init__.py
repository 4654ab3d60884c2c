"""Chapter E: values and gradients all over a domain, and values at its ends."""
