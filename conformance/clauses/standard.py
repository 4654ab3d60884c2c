"""The standard: all clauses by number, from a module per chapter.

Numbers are stable: a withdrawn clause leaves a gap.
"""

from __future__ import annotations

import difflib

from conformance.clauses import a_results, b_graph, c_modes, d_mutation, e_values, f_cost, w_examples
from conformance.clauses.clause import Clause
from conformance.errors import UsageError

STANDARD: dict[str, Clause] = {
    clause.number: clause
    for chapter in (a_results, b_graph, c_modes, d_mutation, e_values, f_cost, w_examples)
    for clause in sorted(chapter.CLAUSES, key=lambda clause: int(clause.number[1:]))
}


def find_clause(number: str) -> Clause:
    """The clause of that number; UsageError names the nearest where there is none."""
    try:
        return STANDARD[number.upper()]
    except KeyError:
        near = difflib.get_close_matches(number.upper(), STANDARD, n=3, cutoff=0.3)
        raise UsageError(f"no clause {number!r}; there are {', '.join(near or STANDARD)}") from None
