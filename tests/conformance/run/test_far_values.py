"""Smoke asks the value of an op at operands far from 1, and with the sign that its ordinary calls lack."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest
from conformance_backends.numpy_backend import NumpyTape

from conformance.cli.pages.smoke_ops import blocks, remarks
from conformance.ops import ALL_OPS
from conformance.run.mapped.findings import to_correct
from conformance.run.mapped.known import far_and_not_known
from conformance.run.mapping import is_right, try_mapping
from conformance.run.mapping_process import asked_alone
from conformance.runfile.known import KnownFailure

from .test_smoke import mapped
from .without_sign import WithoutSign, without_sign

R = NumpyTape.ops
KNOWN = NumpyTape.name + "/op/{}/value-magnitudes/float64"


def one(x: Any) -> Any:
    return np.ones((), x.dtype)


def overflowing_softmax(x: Any, axis: int) -> Any:
    e = R["exp"](x)
    return R["divide"](e, R["sum"](e, axis=axis, keepdims=True))


FORMULAS = {
    "softmax": overflowing_softmax,
    "log1p": lambda x: R["log"](R["add"](x, one(x))),
    "logaddexp": lambda x, y: R["log"](R["add"](R["exp"](x), R["exp"](y))),
    "abs": lambda x: R["sqrt"](R["multiply"](x, x)),
}


@pytest.mark.parametrize("name", FORMULAS)
def test_a_formula_that_overflows_or_cancels_is_said_and_is_not_called_wrong(name: str) -> None:
    found = mapped(name, FORMULAS[name])
    assert found.far
    assert not found.slips
    assert not to_correct([found])
    (remark,) = remarks(found)
    assert remark.mark == "SAY"
    first, second = blocks([remark])
    assert "far from 1" in first
    assert "the value is" in second
    assert ", expected " in second


@pytest.mark.parametrize("name", [*FORMULAS, "exp", "matmul", "var", "gammainc"])
def test_the_reference_engine_is_right_far_from_1(name: str) -> None:
    assert not try_mapping(NumpyTape(), ALL_OPS[name], "float64").far


def test_values_far_from_1_of_several_ops_are_one_block() -> None:
    found = [next(iter(remarks(mapped(name, FORMULAS[name])))) for name in ("log1p", "abs")]
    heading, ops, *_ = blocks(found)
    assert "2 ops" in heading
    assert ops.split() == ["log1p,", "abs"]


@pytest.mark.parametrize(
    ("entry", "is_known"),
    [
        (KnownFailure(KNOWN.format("log1p"), "cancels", says="the value differs from*"), True),
        (KnownFailure(KNOWN.format("log1p"), "cancels"), True),
        (KnownFailure(KNOWN.format("log1p"), "cancels", calls="* axis=0 *"), False),
        (KnownFailure(KNOWN.format("log1p"), "cancels", says="the gradient*"), False),
        (KnownFailure(KNOWN.format("expm1"), "cancels"), False),
        (KnownFailure(KNOWN.format("log1p").replace("value-magnitudes", "value"), "cancels"), False),
    ],
)
def test_a_value_far_from_1_that_is_known_of_a_run_is_not_said(
    entry: KnownFailure, *, is_known: bool
) -> None:
    found = mapped("log1p", FORMULAS["log1p"])
    assert bool(far_and_not_known(found, NumpyTape(), [entry]).far) is not is_known


def test_a_value_that_is_wrong_at_ordinary_operands_is_not_asked_far_from_1() -> None:
    found = mapped("log1p", R["log"])
    assert found.slips
    assert not found.far


def test_a_value_of_the_sign_that_ordinary_calls_lack_is_asked() -> None:
    found = mapped("det", without_sign)
    (slip,) = found.slips
    assert "expected [-" in slip.message
    assert is_right(WithoutSign(), ALL_OPS["det"], "float64", slip.signature)
    assert not is_right(WithoutSign(), ALL_OPS["det"], "float64", slip.signature, slip.seed)


def test_the_numbers_of_a_wrong_value_are_asked_again_alone() -> None:
    """In another process the same numbers are asked, so that what shows in them alone is no confusion of the engine."""
    found = mapped("det", without_sign)
    spec = f"{inspect.getfile(WithoutSign)}:WithoutSign"
    assert asked_alone(spec, "float64", [found]) == [found]


@pytest.mark.parametrize(
    ("name", "function", "order"),
    [
        ("slogdet", lambda x: R["slogdet"](x)[::-1], (1, 0)),
        ("var_mean", lambda x, axis, keepdims, correction: R["var_mean"](x, axis=axis, keepdims=keepdims, correction=correction)[::-1], (1, 0)),
    ],
)  # fmt: skip
def test_outputs_in_another_order_are_named(name: str, function: Any, order: tuple[int, ...]) -> None:
    found = mapped(name, function)
    said = f"it is the value for the outputs in the order {order}"
    assert said in {slip.explanation for slip in found.slips}
