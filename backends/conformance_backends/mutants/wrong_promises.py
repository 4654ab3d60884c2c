"""Mutants that declare a capability which they do not have."""

from __future__ import annotations

from typing import Any

import numpy as np

from conformance.errors import Unsupported
from conformance_backends.mutants.mutant import Mutant, behaviour


def missing(what: str) -> Any:
    """A method of an adapter that offers nothing."""

    def method(self: Any, *arguments: Any, **keywords: Any) -> Any:
        raise Unsupported(f"no {what}")

    return method


def written_elsewhere(self: Any, array: Any) -> Any:
    """A copy: what is written into it is lost, and every claim about memory holds in vain."""
    return np.array(self.numpy(array))


MUTANTS: tuple[Mutant, ...] = (
    behaviour("memory-is-a-copy", "The memory of an array is a copy of it.",
        ("capability/writable",), memory=written_elsewhere),
    behaviour("memory-promised", "Writable arrays are declared, and not offered.",
        ("capability/writable",), memory=missing("memory")),
    behaviour("clearing-promised", "Clearing is declared, and not offered.",
        ("capability/clearing",), clear=missing("clearing")),
    behaviour("scope-promised", "A scope without recording is declared, and not offered.",
        ("capability/no-grad",), no_grad=missing("scope")),
    behaviour("detach-promised", "Detaching is declared, and not offered.",
        ("capability/detach",), detach=missing("detach")),
    behaviour("rule-promised", "Rules by hand are declared, and not offered.",
        ("capability/custom-rule",), custom=missing("rules by hand")),
    behaviour("graph-promised", "A graph is declared, and not shown.", ("capability/graph",), graph=missing("graph")),
    behaviour("checkpoints-promised", "Checkpoints are declared, and not offered.",
        ("capability/checkpointing",), checkpoint=missing("checkpoints")),
    behaviour("hooks-promised", "Hooks are declared, and not offered.", ("capability/hooks",), hook=missing("hooks")),
    behaviour("anomaly-promised", "Looking for anomalies is declared, and not offered.",
        ("capability/anomaly",), anomaly=missing("scope")),
    behaviour("writes-promised", "Recorded writes are declared, and not offered.",
        ("capability/recorded-writes",), assign=missing("writes")),
)  # fmt: skip
