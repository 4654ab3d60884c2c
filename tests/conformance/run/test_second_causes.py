"""What is wrong with an op beside something else is shown as well: a second cause, numbers in a wrong shape, what is not known."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from conformance_backends.numpy_backend import NumpyTape

from conformance.cli.pages.smoke_ops import blocks, remarks
from conformance.ops import ALL_OPS
from conformance.run.explanations import IN_ANOTHER_SHAPE
from conformance.run.mapped.findings import MappedOp
from conformance.run.mapped.known import reason_known, without_known
from conformance.run.mapping import try_mapping
from conformance.runfile.known import KnownFailure

R = NumpyTape.ops


def with_an_axis(x: Any) -> Any:
    """As an engine that has no arrays without axes returns its results."""
    return x if x.ndim else R["reshape"](x, shape=(1,))


def of_axes(name: str) -> Any:
    """The op of such an engine."""

    def call(*operands: Any, **parameters: Any) -> Any:
        found = R[name](*operands, **parameters)
        return tuple(map(with_an_axis, found)) if isinstance(found, tuple) else with_an_axis(found)

    return call


def exchanged(*operands: Any, **parameters: Any) -> Any:
    """Mean and variance in the other order."""
    var, mean = of_axes("var_mean")(*operands, **parameters)
    return mean, var


def without_keepdims(x: Any, axis: Any, keepdims: Any) -> Any:
    """A sum that keeps no axes, unless it is of all of them."""
    return of_axes("sum")(x, axis=axis, keepdims=keepdims and axis is None)


def mapped(name: str, function: Any) -> MappedOp:
    """What came of one op of the reference engine, mapped to `function`."""
    backend = NumpyTape()
    backend.ops = {**R, name: function}  # type: ignore[misc]  # of this object alone
    return try_mapping(backend, ALL_OPS[name], "float64")


def page(*found: MappedOp) -> list[str]:
    """What smoke prints of these ops."""
    return list(blocks(remark for op in found for remark in remarks(op)))


def heads(lines: Sequence[str]) -> list[str]:
    return [line for line in lines if line.startswith("  BAD")]


def test_an_op_with_a_second_cause_is_in_no_block_of_the_first() -> None:
    shapes = [mapped(name, of_axes(name)) for name in ("mse", "l1")]
    lines = page(*shapes, mapped("var_mean", exchanged), mapped("sum", without_keepdims))
    assert [line.split(":")[0] for line in heads(lines)] == [
        "  BAD   2 ops",
        "  BAD   var_mean",
        "  BAD   sum",
    ]
    text = "\n".join(lines)
    assert "it is the value for the outputs in the order (1, 0)" in text
    assert "it is the value for keepdims=False" in text


def test_each_cause_of_wrong_values_of_one_op_is_shown() -> None:
    lines = page(mapped("sum", without_keepdims))
    assert any("has shape (1,), expected ()" in line for line in lines)
    assert any("keepdims=True float64: the value has shape" in line for line in lines)


def test_no_other_axis_explains_the_right_number_in_another_shape() -> None:
    slips = mapped("sum", of_axes("sum")).slips
    assert slips
    assert {slip.explanation for slip in slips} == {IN_ANOTHER_SHAPE}


@pytest.mark.parametrize(
    ("name", "function", "explained"),
    [
        ("huber", lambda x, y, reduction, delta: of_axes("huber")(x, y, reduction=reduction, delta=0.7), "delta=0.7"),
        ("kl_div", lambda x, y, **p: of_axes("kl_div")(y, x, **p), "the order (1, 0)"),
    ],
)  # fmt: skip
def test_entries_in_a_shape_with_another_axis_of_one_are_compared_too(
    name: str, function: Any, explained: str
) -> None:
    wrong = [slip for slip in mapped(name, function).slips if "entries are wrong as well: [" in slip.message]
    assert wrong
    assert all(slip.message.startswith("the value has shape (1,), expected ()") for slip in wrong)
    assert any(explained in slip.explanation for slip in wrong)


def known(says: str) -> KnownFailure:
    return KnownFailure(id="*/op/*/value/*", reason="it has no 0-d arrays", says=says, kind="fault")


def test_a_known_shape_does_not_settle_wrong_entries() -> None:
    op, backend = mapped("kl_div", lambda x, y, **p: of_axes("kl_div")(y, x, **p)), NumpyTape()
    shape = known("the value has shape (1,), expected ()")
    assert reason_known(mapped("kl_div", of_axes("kl_div")), backend, [shape])
    assert not reason_known(op, backend, [shape])
    as_well = known("the value has shape (1,), expected (), and its entries are wrong as well")
    assert "as well" in without_known(op, backend, [shape]).slips[0].message
    assert all("as well" not in slip.message for slip in without_known(op, backend, [as_well]).slips)


def test_what_is_printed_beside_known_failures_is_not_known() -> None:
    op, backend = mapped("sum", without_keepdims), NumpyTape()
    entry = known("the value has shape (1,), expected ()")
    assert not reason_known(op, backend, [entry])
    lines = page(without_known(op, backend, [entry]))
    assert not any("expected ()" in line for line in lines)
    assert any("it is the value for keepdims=False" in line for line in lines)
    assert any("of its further calls" in line and "known" in line for line in lines)
