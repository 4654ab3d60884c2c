"""Invalid calls of ops, which every engine must refuse (A22)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from conformance.backend import Function
from conformance.case import Array
from conformance.checks.engine_calls import hold_working, is_refused
from conformance.checks.observation import Observation, plain
from conformance.checks.registry import NotThisCase, op_check
from conformance.checks.sample import Sample
from conformance.errors import AdapterError, Violation
from conformance.op import Op, OperandKind, Shape, Trait
from conformance.ops.indexing import key_of
from conformance.parameters import ignores

BEYOND = 10  # an axis that no array of the catalogue has
AXES = ("axis", "axis1", "axis2", "source", "destination")


@dataclass(frozen=True)
class Invalid:
    """A call that the reference refuses, and what is wrong with it: the value of `parameter`, or the operands."""

    what: str
    operands: tuple[Array, ...]
    parameters: Mapping[str, Any]
    parameter: str = ""


def _candidates(op: Op, operands: tuple[Array, ...], parameters: Mapping[str, Any]) -> Iterator[Invalid]:
    """Calls near a valid one that are probably invalid."""
    if not all(x.size for x in operands):
        return  # of empty arrays an engine may leave the rest unchecked
    for name in AXES:
        if type(parameters.get(name)) is int:
            yield Invalid(f"{name}={BEYOND}", operands, {**parameters, name: BEYOND}, name)
    if "shape" in parameters:
        longer = (*parameters["shape"], 7)
        if "index" in parameters and _is_empty(longer, parameters["index"]):
            return  # nothing is written there, whatever its shape
        yield Invalid(f"shape={longer}", operands, {**parameters, "shape": longer}, "shape")
    if any(op.domain(i).kind is OperandKind.INDEX for i in range(len(operands))):
        return  # engines differ in which sizes of indices they accept
    if Trait.ELEMENTWISE in op.traits and len(operands) > 1:
        sizes = (4, *[5] * (len(operands) - 1))
        resized = tuple(np.resize(x, (n,)) for x, n in zip(operands, sizes, strict=True))
        yield Invalid(f"operands of {' and '.join(map(str, sizes))} entries", resized, parameters)
        return
    is_alone = (
        len(operands) == 1 and op.has_several_outputs
    )  # how an array is divided unevenly is not specified
    for index, operand in enumerate(() if is_alone else operands):
        for axis, size in enumerate(operand.shape):
            if size > 1:  # a size of 1 may broadcast
                more = np.take(operand, [*range(size), 0], axis=axis)
                changed = (*operands[:index], more, *operands[index + 1 :])
                yield Invalid(f"operand {index} of shape {more.shape}", changed, parameters)


def _is_empty(shape: Shape, index: Any) -> bool:
    try:
        return not np.zeros(shape)[key_of(index)].size
    except IndexError:
        return False


def invalid_calls(op: Op, operands: tuple[Array, ...], parameters: Mapping[str, Any]) -> Iterator[Invalid]:
    """Those of the candidates that the reference itself refuses."""
    for call in _candidates(op, operands, parameters):
        try:
            op.reference(*(np.array(x) for x in call.operands), **call.parameters)
        except Exception:  # NumPy's refusals are of many types
            yield call


def _has_invalid_calls(op: Op) -> bool:
    return Trait.ELEMENTWISE not in op.traits or len(op.domains) > 1


@op_check("A22", "invalid-call", applies=_has_invalid_calls, once_per_signature=True, calls_anew=True)
def invalid_calls_are_refused(seen: Observation) -> None:
    """An invalid call is refused, and the gradient computed next is right."""
    calls = list(invalid_calls(seen.op, seen.case.operands, seen.case.parameters))
    if not calls:
        raise NotThisCase("no call near this one is invalid")
    for call in calls:
        function = seen.backend.call(seen.op.name, call.parameters)
        if not _is_refused(seen, function, call.operands):
            shapes = " ".join(str(x.shape) for x in call.operands)
            if call.parameter and ignores(seen.backend.op(seen.op.name), call.parameter):
                raise AdapterError(
                    f"the adapter's {seen.op.name} takes {call.parameter} and never reads it, so that the engine did "
                    f"not get {call.what}: raise Unsupported for values that the engine does not take"
                )
            raise Violation(f"{seen.op.name} of {shapes} was answered, with {call.what}")
        hold_working(seen.backend, Sample(0, seen.case.dtype), f"after {seen.op.name} with {call.what}")


def _is_refused(seen: Observation, function: Function, operands: Sequence[Array]) -> bool:
    """Whether a call or its gradient is refused; an engine may notice only in the backward pass.

    What is no array of numbers, where the case's own value is one, is the engine's answer: NumPy makes an array of objects
    of what has no one shape.
    """
    engine = seen.backend

    def differentiate() -> None:
        traced = engine.trace(function, [np.array(x) for x in operands], seen.wrt)
        try:
            values = [plain(engine, z) for z in traced.outputs]
        except AdapterError:
            seen.forward()
            return
        traced.pull([engine.array(np.ones_like(z)) for z in values])

    return is_refused(differentiate)
