"""Chapter C: modes of recording and of running."""
