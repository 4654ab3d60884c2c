"""Of calls that are refused, smoke says what distinguishes them from those that are answered."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from conformance_backends.numpy_backend import NumpyTape

from conformance.cli.pages.smoke_ops import blocks, remarks
from conformance.errors import Unsupported
from conformance.op import Signature
from conformance.ops import ALL_OPS
from conformance.run.mapped.contrasts import refused_values
from conformance.run.mapping import try_mapping

from .test_smoke import mapped

R = NumpyTape.ops


def two_axes(x: Any, y: Any, axes: Any) -> Any:
    """Sums over two axes where another number is asked for, which the engine refuses of most shapes."""
    return np.tensordot(x, y, axes=2 if isinstance(axes, int) else axes)


def lines_of(name: str, function: Callable[..., Any]) -> list[str]:
    return list(blocks(remarks(mapped(name, function))))


def test_the_values_of_the_refused_calls_are_named_beside_those_of_the_answered_ones() -> None:
    lines = lines_of("tensordot", two_axes)
    assert any("refused are all calls with axes = 0, 1, answered those with axes = 2, a tuple" in line for line in lines)  # fmt: skip


def calls_with(**values: list[Any]) -> list[Signature]:
    return [
        Signature(((2,),), dict(zip(values, each, strict=True)))
        for each in zip(*values.values(), strict=True)
    ]


@pytest.mark.parametrize(
    ("refused", "right", "said"),
    [
        (calls_with(n=[1, 1, 2], k=[0, 1, 2]), calls_with(n=[3, 4], k=[0, 1]), "n = 1, 2, answered those with n = 3, 4"),
        (calls_with(n=[1, 1], k=[5, 6]), calls_with(n=[1, 2], k=[0, 1]), ""),
        (calls_with(n=[1]), calls_with(n=[2, 3]), ""),
        (calls_with(n=[1, 2]), calls_with(n=[3, 4]), ""),
        (calls_with(n=[1, 1]), [], ""),
        ([], calls_with(n=[1, 1]), ""),
        (calls_with(n=[1, 1]), calls_with(n=[2, 3, 4, 5, 6]), "answered those with n = 2, 3, 4, 5, …"),
    ],
)  # fmt: skip
def test_values_decide_which_calls_are_refused_only_where_one_is_refused_twice_and_never_answered(
    refused: list[Signature], right: list[Signature], said: str
) -> None:
    found = refused_values(refused, right)
    assert said in found
    assert bool(found) is bool(said)


def from_the_start(name: str) -> Callable[..., Any]:
    """An op that refuses axes that are counted from the end."""

    def call(x: Any, axis: Any = None, **parameters: Any) -> Any:
        axes = axis if isinstance(axis, tuple) else (axis,)
        if any(a is not None and a < 0 for a in axes):
            raise Unsupported("axes are counted from the start")
        return R[name](x, axis=axis, **parameters)

    return call


@pytest.mark.parametrize("name", ["sum", "softmax", "flip"])
def test_axes_that_are_refused_as_they_are_written_are_named(name: str) -> None:
    lines = lines_of(name, from_the_start(name))
    (at,) = (number for number, line in enumerate(lines) if "axes are counted from the start" in line)
    assert "the same call with axis=" in lines[at + 1]
    assert lines[at + 1].endswith("is answered")


def matrices_alone(x: Any) -> Any:
    if x.ndim < 2:
        raise Unsupported("it takes matrices")
    return R["tanh"](x)


def test_an_operand_that_is_taken_with_an_axis_more_is_named() -> None:
    (line, further, *_) = lines_of("tanh", matrices_alone)
    assert "it takes matrices" in line
    assert "the same call with an axis more, (1," in further


def of_one_axis(x: Any, axis: Any, keepdims: Any) -> Any:
    if isinstance(axis, tuple):
        raise Unsupported("one axis")
    return R["sum"](x, axis=axis, keepdims=keepdims)


def test_of_what_no_equal_call_is_answered_nothing_is_added() -> None:
    assert not any("the same call" in line for line in lines_of("sum", of_one_axis))


def test_of_calls_that_are_declared_lacking_no_equal_call_is_made() -> None:
    backend = NumpyTape()
    backend.lacks = {"softmax": {"axis": (-1, -2, -3, -4, -5, -6)}}  # type: ignore[misc]  # of this object alone
    found = try_mapping(backend, ALL_OPS["softmax"], "float64")
    assert found.not_offered
    assert not any(finding.explanation for finding in found.not_offered)


def test_calls_without_entries_are_equal_to_too_many() -> None:
    def of_entries(x: Any) -> Any:
        if not x.size and x.ndim < 3:
            raise Unsupported("no entries")
        return R["tanh"](x)

    assert not any("the same call" in line for line in lines_of("tanh", of_entries))
