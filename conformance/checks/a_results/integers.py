"""Integers and truth values: as operands (A16), as gradient arguments (A5)."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from conformance.backend import Backend, Function
from conformance.case import Array, Case
from conformance.checks.comparison import decides_by_refusal, hold_equal, hold_within
from conformance.checks.engine_calls import (
    computes,
    form_of_no_gradient,
    full_sum,
    gradients_of,
    hold_no_gradient,
    product_dtype,
    unless_refused,
)
from conformance.checks.observation import hold_gradient, plain
from conformance.checks.registry import NotThisCase, contract, declared_convention
from conformance.checks.sample import Sample
from conformance.design.rows import Row, rows_of
from conformance.errors import Unsupported, Violation
from conformance.op import Op, OperandKind
from conformance.ops import CATALOGUE
from conformance.ops.names import ADD, DIVIDE, GETITEM, MULTIPLY, POW, SUBTRACT
from conformance.oracle.allowance import Expected
from conformance.strategies.cases import build

NARROW = ("int8", "uint8", "int16", "int32")
COUNTABLE = ("int64", "int32", "bool")
ROUNDINGS = 64  # of a power or a quotient: an integer exponent is another algorithm


def _counts(sample: Sample, dtype: str) -> Array:
    """Integers or truth values in the sample's shape, zero among them."""
    return (np.arange(np.prod(sample.shape)).reshape(sample.shape) % 3).astype(dtype)


@contract("A5", "countable-cotangent")
def integer_gradient_argument_is_refused_or_cast(engine: Backend, sample: Sample) -> None:
    """A gradient argument of integers or truth values is refused, or cast to the same numbers."""
    x, w = sample.array(), sample.array()
    for dtype in COUNTABLE:
        g = _counts(sample, dtype)
        gradients = unless_refused(partial(gradients_of, engine, engine.op(MULTIPLY), [x, w], g))
        if gradients is None:
            continue
        for got, partner in zip(gradients, (w, x), strict=True):
            if got is not None and got.dtype != partner.dtype:
                raise Violation(f"a gradient argument of {dtype} makes a gradient of {got.dtype}", got=got)
            hold_equal(got, g.astype(x.dtype) * partner, f"the gradient for a gradient argument of {dtype}")


@contract("A16", "integer-operand")
def integers_and_truth_values_have_no_gradient(engine: Backend, sample: Sample) -> None:
    """The gradient of integers or truth values is refused, None or zeros, as declared; never integers."""
    convention = declared_convention(engine, "A16")
    w, multiply = sample.array(), engine.op(MULTIPLY)
    for dtype in COUNTABLE:
        n = _counts(sample, dtype)
        g = sample.array().astype(product_dtype(engine, n, w))

        def pulled(n: Array = n, g: Array = g) -> Sequence[Any]:
            return engine.vjp(multiply, [np.array(n), np.array(w)], [np.array(g)])[1]

        gradients = hold_no_gradient(engine, convention, pulled, n, 0, f"an operand of {dtype}")
        if gradients is not None:
            hold_gradient(engine, gradients[1], (g * n).astype(w.dtype), f"its partner's, beside {dtype}")
        _hold_no_gradient_of_square(engine, convention, n)


def _hold_no_gradient_of_square(engine: Backend, convention: str, n: Array) -> None:
    """Claim that n * n has no gradient, with a gradient argument or summed without one."""
    multiply, total = engine.op(MULTIPLY), full_sum(engine)
    for call in (
        lambda: engine.vjp(multiply, [np.array(n), np.array(n)], [np.array(n)])[1],
        lambda: engine.gradient(lambda a: total(multiply(a, a)), [np.array(n)]),
    ):
        gradients = unless_refused(call, engine)
        if gradients is None:
            continue  # an engine that accepts integers beside a real number may still refuse them alone
        found = form_of_no_gradient(engine, gradients[0], n, f"a product of {n.dtype} with itself")
        if found != convention:
            raise Violation(
                f"the gradient of a product of {n.dtype} is {found}; the adapter declares {convention!r}"
            )


@contract("A16", "integer-partner")
def integers_and_truth_values_are_constants(engine: Backend, sample: Sample) -> None:
    """Integers and truth values are constants of the gradients of others."""
    w = sample.array()
    multiply, undecided = engine.op(MULTIPLY), []
    for dtype in COUNTABLE:
        n = _counts(sample, dtype)
        try:
            g = sample.array().astype(product_dtype(engine, n, w))
        except NotThisCase as reason:
            undecided.append(reason)
            continue
        _, (gradient,) = engine.vjp(multiply, [np.array(n), np.array(w)], [np.array(g)], [1])
        hold_gradient(engine, gradient, (g * n).astype(w.dtype), f"the gradient of a factor of {dtype}")
    if len(undecided) == len(COUNTABLE):
        raise undecided[0]


@contract("A16", "integers-beside")
def operands_beside_integers_have_the_slopes_of_real_numbers(engine: Backend, sample: Sample) -> None:
    """Beside integers, negative ones and zero among them, a base, a dividend, a minuend and a term have their values and gradients."""
    n = np.array([-2, -1, 0, 1, 2, 3])
    w = np.array(np.abs(sample.array(n.shape)) + 1)
    real = n.astype(np.longdouble)
    slopes: dict[str, tuple[Array, Array]] = {
        POW: (w**real, real * w ** (real - 1)),
        DIVIDE: (w / np.where(n == 0, 4, real), 1 / np.where(n == 0, 4, real)),
        SUBTRACT: (w - real, np.ones_like(real)),
        ADD: (w + real, np.ones_like(real)),
    }
    for name in slopes.keys() & set(engine.ops):
        value, slope = slopes[name]
        counts = np.where(n == 0, 4, n) if name == DIVIDE else n
        function = engine.op(name)
        outputs = unless_refused(partial(engine.forward, function, [np.array(w), np.array(counts)]), engine)
        if outputs is None:
            continue
        dtype = plain(engine, outputs[0]).dtype
        if dtype.kind != "f":
            raise Violation(f"{name} of {w.dtype} and integers is of {dtype}")
        g = sample.array(n.shape).astype(dtype)
        (got,), (gradient,) = engine.vjp(function, [np.array(w), np.array(counts)], [np.array(g)], [0])
        for what, ours, exact in (
            ("value", got, value),
            ("gradient of the other operand", gradient, g * slope),
        ):
            allowed = ROUNDINGS * np.finfo(w.dtype).eps * np.abs(exact)
            expected = Expected(np.asarray(exact, np.longdouble), allowed, np.spacing(np.abs(exact)))
            hold_within(
                plain(engine, ours), expected, f"the {what} of {name} beside integers", claim="is wrong"
            )


@contract("A16", "index-dtypes", is_wide=True)
def indices_of_any_integers_pick_the_same(engine: Backend, sample: Sample) -> None:
    """Indices of 8, 16 and 32 bits are refused, or pick the same entries with the same gradients as those of 64.

    The table is larger than 8 bits can count, so that no place in it may be computed in the dtype of the indices.
    """
    ops = [op for op in CATALOGUE.values() if op.name in engine.ops and _index_of(op) is not None]
    if not ops:
        raise Unsupported(f"the adapter of {engine.engine} names no op that takes indices")
    for op in ops[sample.seed % len(ops) :][:1] if engine.compiles_signatures else ops:
        case = _indexed(op, sample)
        place, function = _index_of(op), engine.call(op.name, case.parameters)
        held = [dtype for dtype in NARROW if place is not None and _holds(dtype, case.operands[place])]
        narrow = held[sample.seed % len(held) :][:1] if engine.compiles_signatures else held
        wrt = [i for i, x in enumerate(case.operands) if x.dtype.kind == "f"]

        def given(dtype: str, case: Case = case, place: int | None = place) -> list[Array]:
            return [x.astype(dtype) if i == place else np.array(x) for i, x in enumerate(case.operands)]

        def answer(
            dtype: str, case: Case = case, f: Function = function, wrt: list[int] = wrt
        ) -> list[Array]:
            outputs, gradients = engine.vjp(f, given(dtype), [np.array(g) for g in case.cotangents], wrt)
            return [plain(engine, outputs[0]), *(plain(engine, g) for g in gradients)]

        taken = [dtype for dtype in ("int64", *narrow) if computes(engine, function, given(dtype))]
        answers = {dtype: answer(dtype) for dtype in taken}
        decides_by_refusal()  # of those that are not taken
        for dtype, found in answers.items():
            for got, expected in zip(found, answers[taken[0]], strict=True):
                what = f"the value or a gradient of {op.name} at indices of {dtype}, not of {taken[0]}"
                hold_equal(got, expected, what)


@contract("A16", "scalar-indices")
def integer_of_numpy_picks_as_a_python_one_does(engine: Backend, sample: Sample) -> None:
    """An integer of NumPy as an index, alone, in a slice or beside others, is refused, or picks what a Python integer picks."""
    if GETITEM not in engine.ops:
        raise Unsupported(f"the adapter of {engine.engine} names no {GETITEM}")
    x = sample.array((3, 4))
    indices = [index for kind in (np.int64, np.int32) for index in _indices_of(kind)]
    for index in indices[sample.seed % len(indices) :][:1] if engine.compiles_signatures else indices:
        function, expected = engine.call(GETITEM, {"index": index}), x[index]
        if not computes(engine, function, [x]):
            decides_by_refusal()
            continue
        g, gradient = sample.array(expected.shape), np.zeros_like(x)
        gradient[index] = g
        outputs, pulled = engine.vjp(function, [np.array(x)], [np.array(g)])
        hold_equal(plain(engine, outputs[0]), expected, f"x[{index}]")
        hold_gradient(engine, pulled[0], gradient, f"the gradient of x[{index}]")


def _indices_of(kind: Callable[[int], Any]) -> Sequence[tuple[Any, ...]]:
    """Indices of a 3×4 matrix, with integers of some kind; the last and the first place among them."""
    return (
        (kind(-1),),
        (kind(0), Ellipsis),
        (slice(None), kind(-4)),
        (slice(kind(1), None), kind(2)),
        (kind(2), slice(kind(-1), kind(-3), kind(-1))),
        (Ellipsis, kind(-2), None),
    )


def _holds(dtype: str, numbers: Array) -> bool:
    """Whether a dtype has all of the numbers: an index is none below 0, an exponent may be."""
    return bool((numbers.astype(dtype) == numbers).all())


def _index_of(op: Op) -> int | None:
    """The place of the operand of indices; None where there is none."""
    kinds = [domain.kind for domain in op.domains]
    return kinds.index(OperandKind.INDEX) if OperandKind.INDEX in kinds else None


def _indexed(op: Op, sample: Sample) -> Case:
    """A call of the largest table, among those whose indices 7 bits can count, with the most indices."""

    def size(row: Row) -> tuple[int, int]:
        first, second, *_ = (math.prod(shape) for shape in row.signature.shapes)
        return first, second

    rows = [row for row in rows_of(op) if row.wrt is None and row.can_decide]
    counted = [
        row
        for row in rows
        if max(d.high for d in row.signature.domains or op.domains if d.high < math.inf) < 128
    ]
    return build(
        op,
        max(counted, key=size),
        sample.dtype,
        texture="full",
        upstream="signed",
        layouts=("C",),
        seed=sample.seed,
    )
