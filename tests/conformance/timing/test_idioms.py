"""An engine that lacks a function by an op's name is timed with what its users write, and the line says so."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import pytest
from msgspec.structs import replace

from conformance.cli.benchmarks import remarks
from conformance.errors import Unsupported
from conformance.timing.idioms import IDIOMS, Finder
from conformance.timing.measure import measure
from conformance.timing.rounds import Budget

from .engines import OPS, Right


class Plain(Right):
    """Has no function for relu, softmax or log_softmax, and what they are written with."""

    ops: ClassVar = {
        **{name: op for name, op in OPS.items() if name not in IDIOMS},
        "maximum": lambda x, zero: np.where(x.real > zero.real, x, zero),
        "swapaxes": lambda x, axis1, axis2: np.swapaxes(x, axis1, axis2),
        "logsumexp": lambda x, axis, keepdims: x - OPS["log_softmax"](x, axis=axis),
    }


class Lacking(Plain):
    """Has nothing to write them with either."""

    ops: ClassVar = {
        name: op for name, op in Plain.ops.items() if name not in ("maximum", "logsumexp", "swapaxes")
    }


@pytest.mark.parametrize("name", IDIOMS)
def test_an_idiom_is_the_op(name: str) -> None:
    find, x = Finder(Plain(), "float64"), np.random.default_rng(1).normal(size=(4, 5))
    parameters = {} if name in ("relu", "matrix_transpose") else {"axis": -1}
    np.testing.assert_allclose(find(name)(x, **parameters), OPS[name](x, **parameters), rtol=1e-12)
    assert find.used == {name: IDIOMS[name][0]}


def test_an_op_that_the_engine_has_is_taken_as_it_is() -> None:
    find = Finder(Right(), "float64")
    assert find("relu") is OPS["relu"]
    assert not find.used


def test_an_engine_that_lacks_the_idiom_too_is_left_out() -> None:
    with pytest.raises(Unsupported, match="names no maximum"):
        Finder(Lacking(), "float64")("relu")


def test_the_line_says_what_was_timed() -> None:
    lines = list(
        measure(
            [Right(), Plain()], reference="right", budget=Budget(2, 0.01), workloads=["mlp"], sizes=["small"]
        )
    )
    assert all(not line.refused and line.median for line in lines)
    assert {line.idioms for line in lines if line.backend == "plain"} == {("relu as maximum(x, 0)",)}
    assert {line.idioms for line in lines if line.backend != "plain"} == {()}
    assert list(remarks(lines)) == [
        "plain is timed with relu as maximum(x, 0): it has no function of that name"
    ]


def test_the_table_says_below_why_there_is_no_time() -> None:
    (line, _, *_) = measure(
        [Lacking()], reference="", budget=Budget(2, 0.01), workloads=["mlp"], sizes=["small"]
    )
    lines = [replace(line, backend="lacking", refused="Unsupported: no maximum")] * 2
    assert list(remarks(lines)) == ["n/a lacking, mlp: Unsupported: no maximum"]


def test_the_sizes_of_a_million_are_measured_only_where_they_are_named() -> None:
    names: list[str] = []
    budget = Budget(2, 0.0)
    for sizes in (None, ["huge"]):
        lines = measure([], reference="", budget=budget, workloads=["deep_chain"], sizes=sizes)
        names.append(" ".join(dict.fromkeys(line.size for line in lines)))
    assert names == ["30x32 300x32 1000x32", "1000x1000"]
