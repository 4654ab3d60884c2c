"""The engine's own dropout (C12): entries become zero with a probability, and the others are divided by one less it.

What it drops is read off its value, since no entry of the operands here is zero.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from conformance.backend import Backend, Capability, Function
from conformance.case import Array
from conformance.checks.c_modes.randomness.random_numbers import SHAPE, together
from conformance.checks.comparison import hold_close, hold_equal
from conformance.checks.engine_calls import unless_refused
from conformance.checks.observation import plain
from conformance.checks.registry import check, contract
from conformance.checks.sample import Sample
from conformance.dtype import HALF
from conformance.errors import Violation
from conformance.ops.names import CONCAT

DROPOUT = Capability.DROPOUT
RATES = (0.25, 0.5, 0.75)
# Of these many entries a share that is off by an eighth is eight standard deviations off.
SHAPES = (SHAPE, (1031,))
OFF = 1 / 8
ROUNDINGS = 4  # units in the last place: of the rate's complement, the quotient and the product


@check("capability", "capability dropout", "dropout", is_about_outcome=True)
def entries_are_dropped(engine: Backend, sample: Sample) -> None:
    """Some entries of an array are zero afterwards, in its shape and dtype, and the others are divided by one less the rate."""
    x = sample.array(SHAPE)
    value = plain(engine, engine.forward(_dropping(engine, 0.5), [np.array(x)])[0])
    if value.shape != x.shape or value.dtype != x.dtype or not 0 < np.count_nonzero(value) < x.size:
        raise Violation(
            f"dropout() of rate 0.5 gave {value.dtype} of shape {value.shape}, {np.count_nonzero(value)} entries other "
            f"than zero, where about half of {x.dtype} {x.shape} are expected"
        )
    value = plain(engine, engine.forward(_dropping(engine, 0.75), [np.array(x)])[0])
    kept = value != 0
    if kept.mean() > 1 / 4 + OFF:
        raise Violation(
            f"dropout() of rate 0.75 keeps {kept.mean():.0%} of the entries, where a quarter is expected: the rate is the "
            "share that is dropped"
        )
    _hold_kept(
        value,
        x,
        kept,
        0.75,
        "the value of dropout() of rate 0.75, whose other entries are divided by 1 - rate",
    )


def _dropping(engine: Backend, rate: float) -> Function:
    return lambda a: engine.dropout(a, rate)


@contract("C12", "dropout", DROPOUT)
def gradient_of_dropout_is_dropped_and_scaled_as_its_value(engine: Backend, sample: Sample) -> None:
    """What dropout keeps is divided by one less the rate, and so is its cotangent; the others' gradients are zero, in half precision, too."""
    for dtype in (sample.dtype, *sorted(HALF & set(engine.dtypes))):
        for rate, shape in zip(RATES, (*SHAPES, SHAPES[0]), strict=True):
            x, g = (sample.array(shape).astype(dtype) for _ in range(2))
            what = f"dropout of {dtype} {shape} at a rate of {rate}"
            value, (gradient,) = together(engine, _dropping(engine, rate), [x], g)
            kept = value != 0
            if abs(kept.mean() - (1 - rate)) > OFF:
                raise Violation(f"{what} keeps {kept.mean():.0%} of the entries")
            _hold_kept(value, x, kept, rate, f"the value of {what}")
            _hold_kept(gradient, g, kept, rate, f"the gradient of {what}, by what its value drops")


def _hold_kept(got: Array | None, whole: Array, kept: Array, rate: float, what: str) -> None:
    """Claim that `got` is `whole / (1 - rate)` where it is kept, and zero elsewhere, in the dtype of `whole`."""
    if got is not None and got.dtype != whole.dtype:
        raise Violation(f"{what} has dtype {got.dtype}, its operand {whole.dtype}")
    exact = np.where(kept, whole.astype(np.longdouble) / (1 - rate), 0)
    rounded = exact.astype(whole.dtype)
    unit = np.spacing(np.abs(rounded)).astype(np.longdouble)
    hold_close(got, rounded, np.where(kept, ROUNDINGS * unit, 0), what)


@contract("C12", "dropout-ends", DROPOUT)
def dropout_of_nothing_is_the_identity_and_of_all_is_zero(engine: Backend, sample: Sample) -> None:
    """At a rate of 0 value and gradient are the operand and the cotangent; at a rate of 1 both are zero, or it is refused."""
    x, g = sample.array(SHAPE), sample.array(SHAPE)
    for rate, factor in ((0.0, 1), (1.0, 0)):
        call = partial(together, engine, _dropping(engine, rate), [x], g)
        given = unless_refused(call) if rate else call()
        if given is None:  # at a rate of 1 nothing would be left to divide by
            continue
        value, (gradient,) = given
        hold_equal(value, factor * x, f"the value of dropout at a rate of {rate:g}")
        hold_equal(gradient, factor * g, f"the gradient of dropout at a rate of {rate:g}")


@contract("C12", "dropout-beside", DROPOUT)
def dropout_of_one_array_twice_has_the_sum_of_both_gradients(engine: Backend, sample: Sample) -> None:
    """Two dropouts of one array drop others, and the gradient is the sum of both."""
    x, g, h = (sample.array(SHAPE) for _ in range(3))
    join = engine.call(CONCAT, {"axis": 0})

    def both(a: Any) -> Any:
        return join(engine.dropout(a, 0.5), engine.dropout(a, 0.75))

    value, (got,) = together(engine, both, [x], np.concatenate([g, h]))
    half, most = np.split(value != 0, 2)
    hold_equal(value, np.concatenate([2 * x * half, 4 * x * most]), "the values of two dropouts")
    if (most <= half).all():
        raise Violation("what one of two dropouts keeps the other one keeps as well")
    exact = 2 * g * half + 4 * h * most
    hold_close(
        got,
        exact,
        np.spacing(np.abs(2 * g) + np.abs(4 * h)).astype(np.longdouble),
        "the sum of both gradients",
    )
