"""Accumulation: of uses (B1), at nodes (B2), over calls (B3), after clearing (B13), over batches (B16)."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np

from conformance.backend import Backend, Capability, TapeBackend
from conformance.case import Array
from conformance.checks.comparison import hold_equal
from conformance.checks.engine_calls import FULL_REDUCTION, gradients_of, tape_of
from conformance.checks.observation import plain
from conformance.checks.registry import contract, declared_convention
from conformance.checks.sample import Sample
from conformance.dtype import HALF
from conformance.errors import Unsupported, Violation
from conformance.ops.names import ADD, MATMUL, MATRIX_TRANSPOSE, MEAN, MULTIPLY, NEGATIVE, SUM

LARGE = 2**14 + 37  # entries of an array: no whole number of blocks


@contract("B1", "repeated-operand")
def operand_named_twice_receives_the_sum(engine: Backend, sample: Sample) -> None:
    """A value named twice in one call receives both contributions: x + x and x * x."""
    x, g = sample.array(), sample.array()
    add, multiply = engine.op(ADD), engine.op(MULTIPLY)
    hold_equal(gradients_of(engine, lambda a: add(a, a), [x], g)[0], 2 * g, "the gradient of x + x")
    hold_equal(gradients_of(engine, lambda a: multiply(a, a), [x], g)[0], 2 * x * g, "the gradient of x * x")


@contract("B1", "diamond")
def diamond_receives_both_sides(engine: Backend, sample: Sample) -> None:
    """Both sides of a diamond contribute: y = x * a, z = y * b + y * c."""
    x, a, b, c, g = (sample.array() for _ in range(5))
    add, multiply = engine.op(ADD), engine.op(MULTIPLY)

    def diamond(x: Any, a: Any, b: Any, c: Any) -> Any:
        y = multiply(x, a)
        return add(multiply(y, b), multiply(y, c))

    got = gradients_of(engine, diamond, [x, a, b, c], g)
    for gradient, expected, name in zip(
        got, (g * (b + c) * a, g * (b + c) * x, g * x * a, g * x * a), "xabc", strict=True
    ):
        hold_equal(gradient, expected, f"the gradient of {name} in x*a*b + x*a*c")


@contract("B1", "fan-out")
def fan_out_receives_every_contribution(engine: Backend, sample: Sample) -> None:
    """A value used k times receives the sum of its k contributions."""
    add, multiply = engine.op(ADD), engine.op(MULTIPLY)
    count = 3 + 2 * (sample.seed % 4)
    x, g = sample.array(), sample.array()
    factors = [sample.array() for _ in range(count)]

    def fan(x: Any, *factors: Any) -> Any:
        total = multiply(x, factors[0])
        for factor in factors[1:]:
            total = add(total, multiply(x, factor))
        return total

    got = gradients_of(engine, fan, [x, *factors], g)
    hold_equal(got[0], g * sum(factors), f"the gradient of x used {count} times")
    for gradient in got[1:]:
        hold_equal(gradient, g * x, "the gradient of a factor of x")


@contract("B1", "shared-cotangent")
def operands_that_share_a_cotangent_have_their_own_sums(engine: Backend, sample: Sample) -> None:
    """Where ops hand one cotangent on to several operands, what arrives at one of them besides changes no other's.

    In arrays of a few entries and of 128 KiB in double precision, which engines may add up in place.
    """
    add, negative, multiply = (engine.op(name) for name in (ADD, NEGATIVE, MULTIPLY))
    for shape in (sample.shape, (LARGE,)):
        x, w, c, g = (sample.array(shape) for _ in range(4))
        factor = engine.array(np.array(c))

        def sums(a: Any, b: Any, factor: Any = factor) -> Any:
            last, first = negative(b), negative(a)  # what is made first is pulled back last
            product = multiply(first, factor)
            return add(add(add(first, last), product), first)

        of_x, of_w = gradients_of(engine, sums, [x, w], g)
        hold_equal(of_x, -g * (2 + c), f"the gradient of x, used three times beside w, of shape {shape}")
        hold_equal(of_w, -g, f"the gradient of w, used once beside x, of shape {shape}")


@contract("B2", "propagate-once", Capability.CUSTOM_RULE)
def contributions_are_summed_before_they_propagate(engine: Backend, sample: Sample) -> None:
    """The rule of a node below a chain of diamonds is called once."""
    calls: list[int] = []

    def double_rule(g: Any, a: Any) -> tuple[Any, ...]:
        calls.append(1)
        return (g + g,)

    double = engine.custom(lambda a: a + a, double_rule)
    add, x, g = engine.op(ADD), sample.array(), sample.array()
    depth = 10

    def diamonds(a: Any) -> Any:
        y = double(a)
        for _ in range(depth):
            y = add(y, y)
        return y

    (got,) = gradients_of(engine, diamonds, [x], g)
    hold_equal(got, 2.0 ** (depth + 1) * g, f"the gradient through {depth} diamonds")
    if len(calls) != 1:
        raise Violation(f"the rule below {depth} diamonds was called {len(calls)} times, expected once")


@contract("B3", "narrow", Capability.TAPE)
def two_calls_in_half_precision_accumulate(engine: Backend, sample: Sample) -> None:
    """In half precision two gradient calls add up as in others; the numbers are exact in it."""
    convention, tape = declared_convention(engine, "B3"), tape_of(engine)
    narrow = [dtype for dtype in engine.dtypes if dtype in HALF]
    if not narrow:
        raise Unsupported(f"{engine.engine} declares no gradients in half precision")
    for dtype in narrow:
        x, g, h = (sample.array().astype(dtype) for _ in range(3))
        _hold_two_calls(tape, convention, x, g, h)


@contract("B3", "complex", Capability.TAPE)
def two_calls_with_complex_numbers_accumulate(engine: Backend, sample: Sample) -> None:
    """Two gradient calls add up in complex numbers as in real ones, both parts."""
    convention, tape = declared_convention(engine, "B3"), tape_of(engine)
    dtype = {"float64": "complex128", "float32": "complex64"}[sample.dtype]
    if dtype not in engine.dtypes and Capability.COMPLEX not in engine.capabilities:
        raise Unsupported(f"{engine.engine} declares no gradients of {dtype}")
    _hold_two_calls(tape, convention, *(sample.complex_array().astype(dtype) for _ in range(3)))


def _hold_two_calls(tape: TapeBackend, convention: str, x: Array, g: Array, h: Array) -> None:
    """Claim the gradient of -x, called twice, with the cotangents g and h."""
    leaf = tape.leaf(np.array(x))
    for cotangent in (g, h):
        tape.backward(tape.op(NEGATIVE)(leaf), tape.array(np.array(cotangent)))
    total = g + h if convention == "accumulates" else h
    got = plain(tape, tape.grad(leaf))
    hold_equal(got, -total, f"a gradient in {x.dtype} after two calls ({convention})")
    if got.dtype != x.dtype:
        raise Violation(f"the gradient of a leaf of {x.dtype} is of {got.dtype} after two calls")


@contract("B3", "two-calls")
def two_calls_accumulate(engine: Backend, sample: Sample) -> None:
    """Two gradient calls add up (a tape may declare that the second replaces the first; a pullback is additive)."""
    convention = declared_convention(engine, "B3")
    x, w, g, h = (sample.array() for _ in range(4))
    multiply = engine.op(MULTIPLY)
    if convention == "functional":
        if isinstance(engine, TapeBackend):
            raise Violation("a tape, whose leaves keep their gradients, declares 'functional'")
        summed = gradients_of(engine, multiply, [x, w], g + h)
        for position, name in enumerate(("x", "w")):
            first = gradients_of(engine, multiply, [x, w], g)[position]
            second = gradients_of(engine, multiply, [x, w], h)[position]
            hold_equal(first + second, summed[position], f"the two pullbacks' sum for {name}")
        return
    tape = tape_of(engine)
    a, b = tape.leaf(np.array(x)), tape.leaf(np.array(w))
    tape.backward(multiply(a, b), tape.array(np.array(g)))
    tape.backward(multiply(a, b), tape.array(np.array(h)))
    total = g + h if convention == "accumulates" else h
    hold_equal(plain(tape, tape.grad(a)), total * w, f"x's gradient after two backward calls ({convention})")
    hold_equal(plain(tape, tape.grad(b)), total * x, f"w's gradient after two backward calls ({convention})")


@contract("B3", "layouts", Capability.TAPE)
def gradients_of_two_layouts_accumulate(engine: Backend, sample: Sample) -> None:
    """Gradients of two calls add up entry by entry, of which one reaches the leaf through its transpose, either first."""
    tape, multiply, turn = tape_of(engine), engine.op(MULTIPLY), engine.op(MATRIX_TRANSPOSE)
    accumulates = declared_convention(engine, "B3") == "accumulates"
    for shape, is_turned_first in product(((3, 3), (2, 3)), (False, True)):
        leaf, total = tape.leaf(sample.array(shape)), np.zeros(shape, sample.dtype)
        for is_turned in (is_turned_first, not is_turned_first):
            w, g = (sample.array(shape[::-1] if is_turned else shape) for _ in range(2))
            tape.backward(multiply(turn(leaf) if is_turned else leaf, tape.array(w)), tape.array(g))
            arrived = (g * w).T if is_turned else g * w
            total = total + arrived if accumulates else arrived
        said = "the first" if is_turned_first else "the second"
        hold_equal(
            plain(tape, tape.grad(leaf)), total, f"a gradient of two calls, {said} through the transpose"
        )


@contract("B13", "clearing", Capability.CLEARING)
def cleared_gradient_starts_from_zero(engine: Backend, sample: Sample) -> None:
    """Clearing a gradient and running again gives the first result, for leaves of any size, layout and values."""
    tape, multiply = tape_of(engine), engine.op(MULTIPLY)
    for what, x in _leaf_values(sample).items():
        w, g = sample.array(x.shape), sample.array(x.shape)
        try:
            leaf, weight = tape.leaf(x), tape.array(np.array(w))
            multiply(leaf, weight)
        except Unsupported:
            if x.size and x.ndim:
                raise
            continue  # the engine has no such arrays, or no products of them
        for attempt in ("first", "second"):
            output = multiply(leaf, weight)
            tape.backward(output, tape.array(np.array(g)))
            hold_equal(plain(tape, tape.grad(leaf)), g * w, f"the {attempt} gradient of {what}")
            tape.clear(leaf)
            _hold_cleared(tape, leaf, f"a cleared gradient of {what}")
        elsewhere = tape.leaf(np.array(x))
        tape.backward(multiply(elsewhere, weight), tape.array(np.array(g)))
        hold_equal(plain(tape, tape.grad(elsewhere)), g * w, f"the gradient of another leaf than {what}")
        _hold_cleared(tape, leaf, f"a cleared gradient of {what}, after a pass that does not reach it,")


def _hold_cleared(tape: TapeBackend, leaf: Any, what: str) -> None:
    cleared = tape.grad(leaf)
    if cleared is not None and plain(tape, cleared).any():
        raise Violation(f"{what} is neither None nor zero", got=plain(tape, cleared))


def _leaf_values(sample: Sample) -> dict[str, Array]:
    """Numbers of leaves, by what they are."""
    beside_zero = sample.array()
    beside_zero[0] = 0
    return {
        "a leaf": sample.array(),
        "a number": sample.array(()),
        "an empty leaf": sample.array((0, 2)),
        "a leaf with a zero": beside_zero,
        "a long leaf": sample.array((1100,)),
        "a large leaf": sample.array((33, 70)),
        "a transposed leaf": sample.array((2, 3)).T,
        "a leaf of every other entry": sample.array((3, 6))[:, ::2],
    }


PARTS = ((0, 2), (2, 4), (4, 8))  # sizes 2, 2 and 4 of 8: every weight is exact in binary


@contract("B16", "batch-is-sum")
def batch_gradient_is_the_sum_of_its_parts(engine: Backend, sample: Sample) -> None:
    """The gradient over a batch is the sum over its parts; under a mean, their weighted mean."""
    x, w = sample.array((8, 3)), sample.array((3, 2))
    matmul, multiply = engine.op(MATMUL), engine.op(MULTIPLY)
    for reduction in (SUM, MEAN):
        reduce = engine.call(reduction, FULL_REDUCTION)

        def loss(w: Any, x: Any, reduce: Any = reduce) -> Any:
            y = matmul(x, w)
            return reduce(multiply(y, y))

        whole = plain(engine, engine.gradient(loss, [w, x])[0])
        parts = [plain(engine, engine.gradient(loss, [w, x[a:b]])[0]) for a, b in PARTS]
        weights = [(b - a) / 8 if reduction == MEAN else 1.0 for a, b in PARTS]
        combined = np.sum([p * p.dtype.type(v) for p, v in zip(parts, weights, strict=True)], axis=0)
        hold_equal(whole, combined, f"the gradient of a {reduction} over the whole batch")
        total = 2 * x.T @ (x @ w) / (1 if reduction == SUM else 16)
        hold_equal(whole, total.astype(whole.dtype), f"the gradient of a {reduction} of squares")
