"""Helpers for tests of adapters: an op of an adapter's table is compared with the catalogue's row.

The suite itself measures how accurate an engine is; a large error here is a mistake in the table, unless
known-failures.toml says that it is the engine's.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from conformance.backend import Backend
from conformance.checks import load_all
from conformance.checks.observation import Observation, Oracle
from conformance.errors import Unsupported, Violation
from conformance.ops import find
from conformance.questions import Item
from conformance.run.evidence import error_of, message_of
from conformance.runfile.known import entry_for
from conformance.runfile.known_file import read_known
from conformance.strategies import Effort, draw_cases

EFFORT = Effort(signatures=4, draws=1, samples=1, programs=1)
CHECKS = load_all()
KNOWN = read_known(Path(__file__).parents[2] / "known-failures.toml")
FAR_OFF = 50  # times what an engine is allowed


def observations(backend: Backend, name: str, *dtypes: str, effort: Effort = EFFORT) -> Iterator[Observation]:
    """What the backend makes of a few calls of the op in every dtype."""
    for dtype in dtypes:
        for case in draw_cases(find(name), dtype, 0, effort):
            yield Observation(backend, Oracle(find(name), case))


def hold(seen: Observation) -> None:
    """The value, and the gradient, are the row's, or not far off, or known to be wrong."""
    for key in ("op/value", "op/vjp"):
        check = CHECKS[key]
        try:
            with np.errstate(all="ignore"), warnings.catch_warnings():
                warnings.simplefilter("ignore")  # engines warn of special values
                check.function(seen)
        except Unsupported:
            raise
        except Exception as failure:
            is_near = (
                isinstance(failure, Violation) and failure.error is not None and failure.error <= FAR_OFF
            )
            item = Item(seen.backend.name, key, seen.case.op, seen.case.dtype)
            if not is_near and not entry_for(KNOWN, item.id, message_of(failure), error=error_of(failure)):
                raise AssertionError(f"{seen.case.label}: {failure}") from failure
