"""The reference engine as what generated mutants change."""
