"""The standard: numbered sentences an engine can be held to."""

from conformance.clauses.clause import Clause, Level
from conformance.clauses.standard import STANDARD, find_clause

__all__ = ["STANDARD", "Clause", "Level", "find_clause"]
