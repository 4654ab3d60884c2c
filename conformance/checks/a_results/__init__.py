"""Chapter A: seeding and results."""
