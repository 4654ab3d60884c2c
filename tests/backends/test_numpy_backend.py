"""The adapter to the reference engine, and the engine on every op of the catalogue."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from conformance_backends.numpy_backend import NumpyTape
from conformance_backends.numpy_engine import apply, jvp, vjp

from conformance.backend import GraphNode
from conformance.dtype import BFLOAT16
from conformance.op import OperandKind
from conformance.ops import ALL_OPS, CATALOGUE
from conformance.run.smoke import questions, try_question
from conformance.strategies import Effort, draw_cases

EFFORT = Effort(signatures=8, draws=1, samples=1, programs=1)
SMOOTH = [
    op
    for op in CATALOGUE.values()
    if not op.has_several_outputs
    and all(op.domain(i).kind is not OperandKind.POSITIVE_DEFINITE for i in range(3))
]


@pytest.mark.parametrize("question", list(questions(NumpyTape())), ids=lambda q: q.claim)
def test_the_smoke_test_holds(question: Any) -> None:
    assert try_question(question, NumpyTape()) == ""


def test_every_op_is_offered() -> None:
    assert set(NumpyTape.ops) == set(ALL_OPS)


def test_the_graph_is_returned_as_records_of_the_suite() -> None:
    backend = NumpyTape()
    x = backend.leaf(np.array(2.0))
    node = backend.graph(backend.op("multiply")(x, backend.array(np.array(3.0))))
    assert node == GraphNode("multiply", (node.inputs[0], None))
    assert node.inputs[0].variable is x
    assert node.inputs[0].names_variable
    assert not node.names_variable


@pytest.mark.parametrize("op", SMOOTH, ids=lambda op: op.name)
def test_forward_mode_is_the_adjoint_of_reverse_mode(op: Any) -> None:
    """<w, J v> = <J^T w, v>, which a wrong transpose breaks."""
    rng = np.random.default_rng(1)
    checked = 0
    for case in draw_cases(op, "float64", 3, EFFORT):
        wrt = [i for i in range(len(case.operands)) if op.is_differentiable(i)]

        def function(*variables: Any, case: Any = case, wrt: Any = wrt) -> Any:
            operands = list(case.operands)
            for i, variable in zip(wrt, variables, strict=True):
                operands[i] = variable
            return apply(op, operands, case.parameters)

        points = tuple(case.operands[i] for i in wrt)
        tangents = tuple(rng.integers(1, 5, x.shape) * 0.25 for x in points)
        output, pullback = vjp(function, *points)
        if not output.size:
            continue
        w = rng.integers(1, 5, output.shape) * 0.25
        _, pushed = jvp(function, points, tangents)
        pulled = pullback(w)
        right = [g.value * t for g, t in zip(pulled, tangents, strict=True) if g is not None]
        terms = np.concatenate([np.ravel(w * pushed.value), *map(np.ravel, right)])
        if not np.isfinite(terms).all():
            continue
        checked += 1
        np.testing.assert_allclose(
            np.sum(w * pushed.value),
            sum(map(np.sum, right)),
            rtol=0,
            atol=1e-10 * np.abs(terms).sum() + 1e-300,
        )
    assert checked


def test_a_letter_that_einsum_repeats_has_its_tangents_in_bfloat16() -> None:
    """NumPy's einsum refuses bfloat16, also of what says where a diagonal is."""
    backend = NumpyTape()
    x, w = (np.array(rows, BFLOAT16) for rows in ([[1, 2], [3, 4]], [[5, 6], [7, 8]]))
    function = backend.call("einsum", {"subscripts": "ij,jj->i"})
    _, (pushed,) = backend.jvp(function, [x, w], [x, np.zeros_like(w)])
    assert backend.numpy(pushed).astype(float).tolist() == [21.0, 47.0]
