"""Wrong values that somebody has judged to be the engine's."""

from __future__ import annotations

from collections.abc import Sequence

from conformance.backend import Backend
from conformance.run.mapped.findings import MappedOp
from conformance.runfile.known import KnownFailure

WRONG_VALUE = "the value differs from the reference value"  # what a run says of it, without the numbers


def reason_known(op: MappedOp, backend: Backend, known: Sequence[KnownFailure]) -> str:
    """Why all wrong values of an op are the engine's, by the known failures; empty where they are not.

    An entry counts that says what goes wrong with the value, and has a kind or a script: somebody has judged it.
    """
    dtype = op.dtype or backend.dtypes[0]
    ids = [f"{backend.name}/op/{op.op}/{check}/{dtype}" for check in ("value", "vjp")]
    judged = [(e, i) for e in known if e.says and (e.kind or e.script) for i in ids if e.covers(i)]
    said = [
        [e.reason for e, i in judged if any(e.explains(i, m) for m in (slip.message, WRONG_VALUE))]
        for slip in op.slips
        if not slip.is_raised  # an exception of the adapter is no wrong value
    ]
    return said[0][0] if said and all(said) and len(said) == len(op.slips) else ""
