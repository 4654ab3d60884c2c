"""From an op to its cases: what Hypothesis draws, and how the numbers follow from it."""

from conformance.strategies.cases import Effort, build, draw_cases, smallest_case, structures

__all__ = ["Effort", "build", "draw_cases", "smallest_case", "structures"]
