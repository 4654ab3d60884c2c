"""Mutants whose compiled functions are those of their first call."""

from __future__ import annotations

from typing import Any
from unittest.mock import patch

import numpy as np

from conformance.backend import Function
from conformance_backends import numpy_engine as engine
from conformance_backends.mutants.mutant import Mutant, WithTransforms, behaviour
from conformance_backends.numpy_engine.graph import is_recording
from conformance_backends.numpy_engine.tensor import Tensor, detach, edge_of


def operands_that_were_one_stay_one(self: Any, function: Function) -> Function:
    """Where operands were one array at the first call, the first of them serves for all at every call."""
    were_one: list[bool] = []

    def call(*operands: Any) -> Any:
        were_one.append(len(operands) > 1 and all(x is operands[0] for x in operands))
        return function(*(operands[:1] * len(operands) if were_one[0] else operands))

    return call


def first_dtype_for_all(self: Any, function: Function) -> Function:
    """The numbers in a function are arrays of the dtype of the first call."""
    first: list[Any] = []

    def call(*operands: Any) -> Any:
        first.append(operands[0].dtype)
        number = Tensor(np.ones((), first[0]))
        output = function(*operands)
        return output * number if not isinstance(output, tuple) else output

    return call


def first_scope_for_all(self: Any, function: Function) -> Function:
    """Where the first call was in a no_grad scope, no call is recorded."""
    was_recorded: list[bool] = []

    def call(*operands: Any) -> Any:
        was_recorded.append(is_recording())
        if was_recorded[0]:
            return function(*operands)
        with engine.no_grad():
            return function(*operands)

    return call


def first_operand_is_returned(self: Any, function: Function) -> Function:
    """An output that is an operand is that of the first call."""
    first: list[Any] = []

    def call(*operands: Any) -> Any:
        first.append(operands)
        outputs = function(*operands)
        if not isinstance(outputs, tuple):
            return outputs
        return tuple(first[0][operands.index(z)] if any(z is x for x in operands) else z for z in outputs)

    return call


def first_branch_for_all(self: Any, function: Function) -> Function:
    """A function that compares with a number finds at every call what it found at the first."""
    found: list[Any] = []

    def call(*operands: Any) -> Any:
        known = iter(list(found))

        def compared(tensor: Tensor, other: Any) -> Any:
            answer = next(known, None)
            found.extend([] if answer is not None else [bool(tensor.value > other)])
            return found[-1] if answer is None else answer

        with patch.object(Tensor, "__gt__", compared):
            return function(*operands)

    return call


def captured_at_first(self: Any, function: Function) -> Function:
    """What a function captures keeps the numbers that it had at the first call."""
    kept: dict[int, Any] = {}

    def call(*operands: Any) -> Any:
        cells = [c.cell_contents for c in getattr(function, "__closure__", None) or ()]
        captured = [x for x in cells if isinstance(x, Tensor)]
        now = [x.value for x in captured]
        for x in captured:
            x.value = kept.setdefault(id(x), np.array(x.value))
        try:
            return function(*operands)
        finally:
            for x, value in zip(captured, now, strict=True):
                x.value = value

    return call


def nan_is_zero(self: Any, function: Function) -> Function:
    """What a compiled function of one operand makes of a number that is none is simplified to zero."""

    def call(*operands: Any) -> Any:
        output = function(*operands)
        if isinstance(output, Tensor) and np.isnan(output.value).any() and not is_of_gradient(operands):
            return Tensor(np.nan_to_num(output.value, nan=0.0, posinf=np.inf, neginf=-np.inf))
        return output

    return call


def is_of_gradient(operands: Any) -> bool:
    """Whether some operand needs a gradient."""
    return any(isinstance(x, Tensor) and x.requires_grad for x in operands)


def of_functions_alone(self: Any, function: Any) -> Any:
    """What has no name cannot be compiled."""
    vars(self).setdefault("compiled_names", []).append(function.__name__)
    return function


def captured_of_the_first_call(self: Any, function: Function) -> Function:
    """What a compiled function captures is a constant in all its calls but the first."""
    calls: list[int] = []

    def called(*operands: Any) -> Any:
        calls.append(1)
        if len(calls) == 1:
            return function(*operands)
        pulled = engine.custom(
            lambda *xs: engine.detach(function(*map(Tensor, xs))),
            lambda g, *xs: engine.vjp(function, *xs)[1](g),
        )
        return pulled(*operands)

    return called


def results_in_one_buffer(self: Any, function: Function) -> Function:
    """A result of constants stands where those of all calls stand."""
    buffers: dict[Any, Any] = {}

    def call(*operands: Any) -> Any:
        output = function(*operands)
        if not isinstance(output, Tensor) or edge_of(output) is not None:
            return output
        buffer = buffers.setdefault((output.shape, output.dtype), np.array(detach(output)))
        np.copyto(buffer, detach(output))
        return buffer

    return call


MUTANTS: tuple[Mutant, ...] = (
    behaviour("compiled-results-in-one-buffer", "What a compiled function makes of constants stands where the next call writes.",
        ("contract/C10/results-kept",), base=WithTransforms, compiled=results_in_one_buffer),
    behaviour("captured-of-the-first-call", "What a compiled function captures gets the cotangents of its first call alone.",
        ("contract/C10/captured-calls",), base=WithTransforms, compiled=captured_of_the_first_call),
    behaviour("of-functions-alone", "A partial function cannot be compiled: it has no name.",
        ("contract/C10/any-callable",), base=WithTransforms, compiled=of_functions_alone),
    behaviour("compiled-for-one-array", "A compiled function that was called with one array twice takes the first operand for both.",
        ("contract/C10/called-again",), base=WithTransforms, compiled=operands_that_were_one_stay_one),
    behaviour("compiled-in-a-scope", "A compiled function that was first called in a no_grad scope is never recorded.",
        ("contract/C10/called-again",), base=WithTransforms, compiled=first_scope_for_all),
    behaviour("first-dtype-for-all", "The numbers in a compiled function have the dtype of its first call.",
        ("contract/C10/numbers-again",), base=WithTransforms, compiled=first_dtype_for_all),
    behaviour("compiled-returns-first-operand", "A compiled function returns the operand of its first call.",
        ("contract/C10/returned-again",), base=WithTransforms, compiled=first_operand_is_returned),
    behaviour("compiled-first-branch", "A compiled function takes the branch of its first call.",
        ("contract/C10/branch-again",), base=WithTransforms, compiled=first_branch_for_all),
    behaviour("compiled-captures-at-first", "What a compiled function captures keeps the numbers of the first call.",
        ("contract/C10/captured-again",), base=WithTransforms, compiled=captured_at_first),
    behaviour("compiled-nan-is-zero", "A compiled function simplifies what is NaN to zero.",
        ("contract/C10/not-finite",), base=WithTransforms, compiled=nan_is_zero),
)  # fmt: skip
