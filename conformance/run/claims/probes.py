"""The probes of what an adapter declares: the first question of each capability, asked before any other is."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from conformance.backend import Backend, Capability
from conformance.checks import Check, load_all
from conformance.checks.declared_refusals import op_to_name
from conformance.checks.registry import NotThisCase
from conformance.checks.sample import Sample
from conformance.errors import Unsupported
from conformance.run.claims.protocol import METHODS

# Of these other claims of smoke ask more: one slip would be named twice. An anomaly is asked of ops that may be mapped wrongly.
CLAIMED = frozenset(
    {
        Capability.ANOMALY,
        Capability.CLEARING,
        Capability.FREEZING,
        Capability.NO_GRAD,
        Capability.DETACH,
        Capability.CUSTOM_RULE,
        Capability.HIGHER_ORDER,
        Capability.FORWARD,
        Capability.VALUE_WITH_GRADIENT,
        Capability.JACOBIANS,
    }
)


def claims_of(backend: Backend) -> Iterator[tuple[str, Callable[[Any], None], str]]:
    """The claim of each capability that is declared, has a method and no other claim; what tries it; and a hint."""
    for check in load_all().values():
        capability = _capability_of(check)
        if capability in backend.capabilities and capability in METHODS.keys() - CLAIMED:
            methods = " and ".join(f"{name}()" for name in METHODS[capability])
            yield (
                f"{check.claim[0].lower()}{check.claim[1:]}",
                partial(_asked, check),
                f"this is what Capability.{capability.name} declares: compare {methods} with its words in docs/adapter.md",
            )


def _capability_of(check: Check) -> Capability | None:
    if check.kind != "capability":
        return None
    return Capability.__members__.get(check.name.upper().replace("-", "_"))


def _asked(check: Check, backend: Backend) -> None:
    with np.errstate(all="ignore"), warnings.catch_warnings(), contextlib.suppress(NotThisCase):
        warnings.simplefilter("ignore")  # what an engine remarks is no answer
        try:
            check.function(backend, Sample(0, backend.dtypes[0], check.key))
        except Unsupported as reason:
            if op_to_name(backend, str(reason)):
                raise
