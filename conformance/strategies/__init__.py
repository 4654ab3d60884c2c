"""From an op to its cases: the design's signatures, and how the numbers follow from a seed."""

from conformance.design import Effort
from conformance.strategies.cases import build, draw_cases, more_cases, smallest_case, windows

__all__ = ["Effort", "build", "draw_cases", "more_cases", "smallest_case", "windows"]
