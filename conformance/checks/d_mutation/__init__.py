"""Chapter D: mutation, views, aliasing."""
