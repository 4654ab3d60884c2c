"""A call with an axis that there is not is answered by an adapter that counts axes anew, and `smoke` says so."""

from __future__ import annotations

from typing import Any

import pytest
from conformance_backends.numpy_backend import NumpyTape

from conformance.cli.pages.smoke_ops import blocks, remarks
from conformance.ops import ALL_OPS
from conformance.run.mapped.findings import Finding, MappedOp, to_correct
from conformance.run.mapping import try_mapping

R = NumpyTape.ops


def mapped(name: str, function: Any = None, **deadly: str) -> MappedOp:
    """What came of one op of the reference engine, mapped to `function`."""
    backend = NumpyTape()
    backend.ops = {**backend.ops, name: function or R[name]}  # type: ignore[misc]  # of this object alone
    return try_mapping(backend, ALL_OPS[name], "float64", deadly=deadly)


def counted_anew(name: str, further: int = 0) -> Any:
    """An op whose axes are counted anew, of so many more than its operand has."""

    def call(*operands: Any, **parameters: Any) -> Any:
        count = operands[0].ndim + further
        axes = ("axis", "axis1", "axis2")
        anew = {n: v % count for n, v in parameters.items() if n in axes and isinstance(v, int) and count}
        return R[name](*operands, **{**parameters, **anew})

    return call


@pytest.mark.parametrize(
    ("name", "further"),
    [
        ("softmax", 0),
        ("sort", 0),
        ("sum", 0),
        ("swapaxes", 0),
        ("concat", 0),
        ("stack", 1),
        ("expand_dims", 1),
    ],
)
def test_an_axis_that_is_counted_anew_is_said_with_the_one_that_it_is_taken_for(
    name: str, further: int
) -> None:
    found = mapped(name, counted_anew(name, further))
    assert found.beyond is not None
    assert "=10 is answered as axis" in found.beyond.message
    assert not to_correct([found])  # the engine itself may answer
    heading, call, advice = blocks(remarks(found))
    assert heading == f"  SAY   {name}: an axis that there is not is answered"
    assert "=10" in call
    assert "`axis % ndim`" in advice


@pytest.mark.parametrize(
    "name", ["softmax", "sort", "sum", "swapaxes", "concat", "stack", "expand_dims", "moveaxis"]
)
def test_of_an_engine_that_refuses_it_nothing_is_said(name: str) -> None:
    assert mapped(name).beyond is None


def test_a_call_that_ended_the_process_is_not_made_again() -> None:
    first = mapped("softmax", counted_anew("softmax")).beyond
    assert isinstance(first, Finding)
    again = mapped("softmax", counted_anew("softmax"), **{first.call: "the engine ended the process"})
    assert again.beyond is None


def test_ops_that_answer_it_are_one_block() -> None:
    found = [mapped(name, counted_anew(name)) for name in ("softmax", "sort")]
    heading, ops, *_ = blocks(remark for op in found for remark in remarks(op))
    assert heading == "  SAY   2 ops: an axis that there is not is answered"
    assert ops.strip() == "softmax, sort"
