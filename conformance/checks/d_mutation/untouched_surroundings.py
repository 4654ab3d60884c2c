"""What is not the engine's stays as it is (D12)."""

from __future__ import annotations

import contextlib

from conformance.backend import Backend, Capability
from conformance.checks.engine_calls import IntentionalError, gradients_of, is_refused
from conformance.checks.members import Member, members
from conformance.checks.registry import contract
from conformance.checks.sample import Sample
from conformance.checks.surroundings import Surroundings
from conformance.errors import Violation
from conformance.ops.names import MULTIPLY


@contract("D12", "surroundings", is_about_outcome=True)
def calls_leave_their_surroundings_as_they_are(engine: Backend, sample: Sample) -> None:
    """Gradients of any op, scopes, errors and refusals change nothing of NumPy's or Python's that others use."""
    before = Surroundings.now()
    try:
        for member in members(engine, sample):
            _differentiate(engine, member)
        _fail(engine, sample)
        changed = list(before.changed())
    finally:
        before.restore()
    if changed:
        raise Violation(f"gradients, scopes and errors changed {', '.join(changed)}")


def _differentiate(engine: Backend, member: Member) -> None:
    """A gradient of the op, whether or not the engine has it."""
    with contextlib.suppress(Exception):
        engine.vjp(member.function(engine), member.operands, member.cotangents, member.wrt)


def _fail(engine: Backend, sample: Sample) -> None:
    """A scope that an exception leaves, and a call that is refused."""
    if Capability.NO_GRAD in engine.capabilities:
        with contextlib.suppress(IntentionalError), engine.no_grad():
            raise IntentionalError
    x, g = sample.array((2, 3)), sample.array((3, 2))
    is_refused(lambda: gradients_of(engine, engine.op(MULTIPLY), [x, x], g))
