"""A law that compares two calls of an engine allows each of them all of its own error, in opposite directions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
import pytest
from conformance_backends.numpy_backend import NumpyTape

from conformance.case import Array, Case
from conformance.checks import load_all
from conformance.checks.e_values import forward_mode
from conformance.checks.observation import Observation, Oracle
from conformance.checks.registry import NotThisCase
from conformance.errors import Violation
from conformance.op import Op
from conformance.ops import find
from conformance.oracle.allowance import MANY_PERTURBATIONS, expected_gradients
from conformance.strategies import Effort, draw_cases

NEARLY = 0.9  # of what is allowed: rounding to the dtype needs a little, too
EFFORT = Effort(signatures=9, draws=2, samples=1, programs=1)
LAWS = {
    "op/layout": ("add", "exp", "softmax", "matmul"),
    "op/cotangent-dtype": ("exp", "var"),
    "op/per-example": ("matmul", "softmax", "atan2", "layer_norm"),
    "op/broadcasting": ("multiply", "atan2", "logaddexp", "pow"),
    "op/axis-forms": ("sum", "logsumexp", "var"),
    "op/loss-reductions": ("mse", "log_cosh", "cross_entropy", "kl_div"),
    "op/order": ("sum", "softmax", "std"),
    "op/euler": ("square", "matmul", "std", "divide"),
    "op/shift": ("softmax", "var", "logaddexp"),
}


class AsWrongAsAllowed(NumpyTape):
    """An engine whose gradients are off by nearly all that is allowed, upwards and downwards in turn."""

    def __init__(self, op: Op) -> None:
        super().__init__()
        self.judged = op
        self.side = 1

    def call(self, name: str, parameters: Any) -> Any:
        function = lambda *operands: self.ops[name](*operands, **parameters)  # noqa: E731
        function.parameters = parameters
        return function

    def vjp(self, function: Any, operands: Any, cotangents: Any, wrt: Any = None) -> Any:
        operands, cotangents = tuple(map(np.array, operands)), tuple(map(np.array, cotangents))
        dtype = next(x.dtype.name for x in operands if x.dtype.kind == "f")
        layouts = ("C",) * (len(operands) + len(cotangents))
        cotangents = tuple(g.astype(dtype) for g in cotangents)
        call = Case(
            *(self.judged.name, operands, function.parameters, cotangents, layouts, dtype),
            wrt=None if wrt is None else tuple(wrt),
        )
        self.side = -self.side
        outputs = self.judged.reference(*operands, **function.parameters)
        return outputs if isinstance(outputs, tuple) else (np.asarray(outputs),), tuple(
            off(bound.exact, self.side * np.sign(bound.exact + 0.5), bound.allowed).astype(dtype)
            for bound in expected_gradients(self.judged, call, perturbations=MANY_PERTURBATIONS)
        )


def off(exact: Array, sides: Any, allowed: Array) -> Array:
    """The exact values, off by nearly all that is allowed."""
    return np.asarray(exact + NEARLY * sides * np.where(np.isfinite(allowed), allowed, 0))


def decided(key: str, name: str) -> Iterator[None]:
    """One for each case that decides the check; raises what the check raises."""
    op, check = find(name), load_all()[key]
    for case in draw_cases(op, "float64", 0, EFFORT, check.textures):
        try:
            check.function(Observation(AsWrongAsAllowed(op), Oracle(op, case, MANY_PERTURBATIONS)))
        except NotThisCase:
            continue
        yield


@pytest.mark.costly
@pytest.mark.parametrize(("key", "name"), [(key, name) for key, names in LAWS.items() for name in names])
def test_law_lets_pass_two_calls_that_are_off_in_opposite_directions(key: str, name: str) -> None:
    assert list(decided(key, name))


@pytest.mark.parametrize("name", ["tanh", "atan2", "softmax", "matmul"])
def test_adjoint_relation_lets_pass_two_modes_that_are_off_in_opposite_directions(name: str) -> None:
    op = find(name)
    case = draw_cases(op, "float64", 0, EFFORT)[0]
    case = replace(case, cotangents=tuple(map(np.ones_like, case.cotangents)))
    seen = Observation(AsWrongAsAllowed(op), Oracle(op, case, MANY_PERTURBATIONS))
    tangents = [np.ones_like(case.operands[i]) for i in seen.wrt]
    places = list(range(case.cotangents[0].size))
    entries, product = forward_mode._expected(seen.oracle, tangents, places)
    pushed = [off(entries.exact, 1, entries.allowed).astype("float64").reshape(case.cotangents[0].shape)]
    # The answer is the other way: downwards, where every tangent is 1.
    seen.__dict__["answer"] = replace(
        seen.answer, gradients=tuple(off(b.exact, -1, b.allowed).astype("float64") for b in seen.expected)
    )
    forward_mode._hold_adjoint(seen, tangents, pushed, entries, product)
    with pytest.raises(Violation):
        forward_mode._hold_adjoint(seen, tangents, [pushed[0] + 1e-6], entries, product)


class Saturating(NumpyTape):
    """An engine whose tanh of float32 is 1 from 8 on, which is within 4 ulp, and whose atanh has no gradient there."""

    ops: ClassVar = {
        **NumpyTape.ops,
        "tanh": lambda x: NumpyTape.ops["tanh"](x if abs(x.value) < 8 else 4 * x),
    }


def test_a_value_that_may_be_the_pole_of_the_inverse_decides_nothing() -> None:
    op = find("tanh")
    case = Case(
        "tanh", (np.float32(8.25).reshape(()),), {}, (np.float32(0.5).reshape(()),), ("C", "C"), "float32"
    )
    with np.errstate(all="ignore"), pytest.raises(NotThisCase, match="cannot be undone"):
        load_all()["op/inverse"].function(Observation(Saturating(), Oracle(op, case, MANY_PERTURBATIONS)))
