"""Helpers for tests of adapters: an op of an adapter's table is compared with the catalogue's row.

The suite itself measures how accurate an engine is; a large error here is a mistake in the table.
"""

from __future__ import annotations

from collections.abc import Iterator

from conformance.backend import Backend
from conformance.checks.e_values.vjp import (
    gradient_equals_reference_vjp,
    value_equals_reference,
)
from conformance.checks.observation import Observation, Oracle
from conformance.errors import Violation
from conformance.ops import find
from conformance.strategies import Effort, draw_cases

EFFORT = Effort(signatures=4, draws=1, samples=1, programs=1)
FAR_OFF = 50  # times what an engine is allowed


def observations(backend: Backend, name: str, *dtypes: str, effort: Effort = EFFORT) -> Iterator[Observation]:
    """What the backend makes of a few calls of the op in every dtype."""
    for dtype in dtypes:
        for case in draw_cases(find(name), dtype, 0, effort):
            yield Observation(backend, Oracle(find(name), case))


def hold(seen: Observation) -> None:
    """The value, and the gradient, are the row's, or not far off."""
    for check in (value_equals_reference, gradient_equals_reference_vjp):
        try:
            check(seen)
        except Violation as violation:
            if violation.error is None or violation.error > FAR_OFF:
                raise AssertionError(f"{seen.case.label}: {violation}") from violation
