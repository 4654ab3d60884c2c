"""Chapter A on engines: numbers that have no gradient, and numbers that have two parts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from conformance.backend import Backend, Capability
from conformance.case import Array
from conformance.checks.engine_calls import (
    gradients_of,
    hold_no_gradient,
    is_refusal,
    is_refused,
    kind_of_nothing,
)
from conformance.checks.observation import hold_equal, plain
from conformance.checks.registry import NotThisCase, contract, declared_convention
from conformance.checks.sample import Sample
from conformance.errors import Violation
from conformance.ops.names import ABS, MULTIPLY, SUM

COUNTABLE = ("int64", "int32", "bool")
CONVENTIONS = ("gradient", "conjugate")


def _counts(sample: Sample, dtype: str) -> Array:
    """Integers or truth values in the sample's shape, zero among them."""
    return (np.arange(np.prod(sample.shape)).reshape(sample.shape) % 3).astype(dtype)


def _output_dtype(engine: Backend, function: Any, operands: Sequence[Array]) -> Any:
    """The type of a function's output; NotThisCase where the engine refuses the call itself."""
    try:
        (output,) = engine.forward(function, [np.array(x) for x in operands])
    except Exception as error:
        if is_refusal(error):
            raise NotThisCase("the engine does not multiply numbers of these kinds") from None
        raise
    return plain(engine, output).dtype


@contract("A5", "countable-cotangent")
def gradient_argument_that_counts(engine: Backend, sample: Sample) -> None:
    """A gradient argument of integers or truth values is is_refusal, or taken for the same numbers."""
    x, w = sample.array(), sample.array()
    multiply = engine.op(MULTIPLY)
    for dtype in COUNTABLE:
        g = _counts(sample, dtype)
        given: list[Any] = []
        if is_refused(lambda g=g, given=given: given.extend(gradients_of(engine, multiply, [x, w], g))):
            continue
        for got, partner in zip(given, (w, x), strict=True):
            if got is not None and got.dtype != partner.dtype:
                raise Violation(f"a gradient argument of {dtype} makes a gradient of {got.dtype}", got=got)
            hold_equal(got, g.astype(x.dtype) * partner, f"the gradient for a gradient argument of {dtype}")


@contract("A5", "complex-cotangent")
def complex_gradient_argument_of_a_real_output(engine: Backend, sample: Sample) -> None:
    """A complex gradient argument of a real output is is_refusal, or cast to its real part."""
    x, w, g, h = (sample.array() for _ in range(4))
    multiply, given = engine.op(MULTIPLY), list[Any]()
    if is_refused(lambda: given.extend(gradients_of(engine, multiply, [x, w], _of_parts(g, h)))):
        return
    for got, partner in zip(given, (w, x), strict=True):
        if got is not None and got.dtype != partner.dtype:
            raise Violation(f"a complex gradient argument makes a gradient of {got.dtype}", got=got)
        hold_equal(got, g * partner, "the gradient for the real part of a complex gradient argument")


@contract("A16", "integer-operand")
def integers_and_truth_values_have_no_gradient(engine: Backend, sample: Sample) -> None:
    """The gradient of integers or truth values is is_refusal, None or zeros, as elected; never integers."""
    convention = declared_convention(engine, "A16")
    w, multiply = sample.array(), engine.op(MULTIPLY)
    for dtype in COUNTABLE:
        n = _counts(sample, dtype)
        g = sample.array().astype(_output_dtype(engine, multiply, [n, w]))

        def pulled(n: Array = n, g: Array = g) -> Sequence[Any]:
            return engine.vjp(multiply, [np.array(n), np.array(w)], [np.array(g)])[1]

        gradients = hold_no_gradient(engine, convention, pulled, n, 0, f"an operand of {dtype}")
        if gradients is not None:
            hold_equal(plain(engine, gradients[1]), (g * n).astype(w.dtype), f"its partner's, beside {dtype}")
        for ask in (
            lambda n=n: engine.vjp(multiply, [np.array(n), np.array(n)], [np.array(n)])[1],
            lambda n=n: engine.gradient(_of_squares(engine), [np.array(n)]),
        ):
            alone: list[Any] = []
            # An engine that answers beside a real number may yet refuse where there is none.
            if is_refused(lambda ask=ask, alone=alone: alone.extend(ask())):
                continue
            found = kind_of_nothing(engine, alone[0], n, f"a product of {dtype} with itself")
            if found != convention:
                raise Violation(
                    f"the gradient of a product of {dtype} is {found}; the adapter elects {convention!r}"
                )


def _of_squares(engine: Backend) -> Any:
    multiply, total = engine.op(MULTIPLY), engine.call(SUM, {"axis": None, "keepdims": False})
    return lambda a: total(multiply(a, a))


@contract("A16", "integer-partner")
def integers_and_truth_values_are_constants(engine: Backend, sample: Sample) -> None:
    """Integers and truth values are constants of the gradients of others."""
    w = sample.array()
    multiply, undecided = engine.op(MULTIPLY), []
    for dtype in COUNTABLE:
        n = _counts(sample, dtype)
        try:
            g = sample.array().astype(_output_dtype(engine, multiply, [n, w]))
        except NotThisCase as reason:
            undecided.append(reason)
            continue
        _, (gradient,) = engine.vjp(multiply, [np.array(n), np.array(w)], [np.array(g)], [1])
        hold_equal(plain(engine, gradient), (g * n).astype(w.dtype), f"the gradient of a factor of {dtype}")
    if len(undecided) == len(COUNTABLE):
        raise undecided[0]


# ---- complex numbers -------------------------------------------------------------------------------


def _complex(sample: Sample) -> Array:
    """Complex numbers whose products are exact."""
    return _of_parts(sample.array(), sample.array())


def _of_parts(real: Array, imaginary: Array) -> Array:
    """Complex numbers in the precision of their parts."""
    made = np.array(real + 1j * imaginary)
    return made.astype(np.result_type(real.dtype, np.complex64))


def _diagonal(sample: Sample) -> Array:
    """Complex numbers on the diagonals: the modulus of a product of two is a power of two."""
    real, imaginary = (np.sign(sample.array()) for _ in range(2))
    scale = np.exp2(np.floor(sample.array() % 3))
    return _of_parts(scale * real, scale * imaginary)


def _weighted_modulus(engine: Backend, w: Array, *factors: Array) -> Any:
    """The function a ↦ sum(w · |a · factors|): a real loss of numbers that may be complex."""
    multiply, modulus = engine.op(MULTIPLY), engine.op(ABS)
    total = engine.call(SUM, {"axis": None, "keepdims": False})
    weight, *constants = (engine.array(np.array(c)) for c in (w, *factors))

    def loss(a: Any) -> Any:
        for constant in constants:
            a = multiply(a, constant)
        return total(multiply(weight, modulus(a)))

    return loss


@contract("A17", "complex-output")
def complex_output_is_not_taken_for_a_real_one(engine: Backend, sample: Sample) -> None:
    """A complex output without a gradient argument is refused: which of two gradients is meant?"""
    x, c = sample.array(), _complex(sample)
    multiply, total = engine.op(MULTIPLY), engine.call(SUM, {"axis": None, "keepdims": False})
    _output_dtype(engine, multiply, [x, c])
    constant = engine.array(np.array(c))
    products = {"a real": (x, lambda a: multiply(a, constant)), "a complex": (c, lambda a: multiply(a, a))}
    for what, (operand, product) in products.items():
        if not is_refused(lambda x=operand, f=product: engine.gradient(lambda a: total(f(a)), [x])):
            raise Violation(f"a complex output of {what} operand was taken for a real one")


@contract("A18", "real-loss", Capability.COMPLEX)
def gradient_of_complex_operands_follows_one_convention(engine: Backend, sample: Sample) -> None:
    """The gradient of a real loss of complex operands is the elected one of two conjugates."""
    convention = declared_convention(engine, "A18")
    z, c, w = _diagonal(sample), _diagonal(sample), sample.array()
    (gradient,) = engine.gradient(_weighted_modulus(engine, w, c), [z])
    steepest = w * np.conj(c) * (z * c / np.abs(z * c))
    expected = steepest if convention == "gradient" else np.conj(steepest)
    hold_equal(
        plain(engine, gradient), expected, f"the gradient of sum(w * |z * c|), elected as {convention!r}"
    )


@contract("A18", "product", Capability.COMPLEX)
def cotangents_of_complex_operands_follow_the_same_convention(engine: Backend, sample: Sample) -> None:
    """Pulled back through a product, a complex cotangent meets its partner, or the conjugate, as elected."""
    convention = declared_convention(engine, "A18")
    z, c, g = (_complex(sample) for _ in range(3))
    got = gradients_of(engine, engine.op(MULTIPLY), [z, c], g)
    for gradient, partner in zip(got, (c, z), strict=True):
        expected = g * (np.conj(partner) if convention == "gradient" else partner)
        hold_equal(gradient, expected, f"the gradient of a complex factor, elected as {convention!r}")


@contract("A19", "real-operand")
def real_operand_gets_a_real_gradient(engine: Backend, sample: Sample) -> None:
    """A real operand gets a real gradient through complex numbers on the way; else the call is refused."""
    # Powers of two throughout, since the way back divides by the modulus: so every quotient is exact.
    x, w, c, d = sample.array(), sample.array(), _diagonal(sample), _diagonal(sample)
    x = np.copysign(np.exp2(np.rint(np.log2(np.abs(x)))), x).astype(x.dtype)
    _output_dtype(engine, engine.op(MULTIPLY), [x, c])
    given: list[Any] = []

    def ask() -> None:
        given.extend(engine.gradient(_weighted_modulus(engine, w, c, d), [x]))

    if Capability.COMPLEX in engine.capabilities:
        ask()
    elif is_refused(ask):
        return
    got = plain(engine, given[0])
    if got.dtype != x.dtype:
        raise Violation(f"a real operand of {x.dtype} gets a gradient of {got.dtype}", got=got)
    hold_equal(got, w * np.sign(x) * np.abs(c * d), "the gradient of sum(w * |x * c * d|)")
