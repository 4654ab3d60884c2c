"""Rules that are wrong, which the modules of mutants name."""
