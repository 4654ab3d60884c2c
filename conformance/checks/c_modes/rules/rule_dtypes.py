"""The dtypes of the cotangents that custom rules return (C5), and hooks see (C9)."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from conformance.backend import Backend, Capability, Function
from conformance.checks.comparison import hold_equal
from conformance.checks.engine_calls import cast_to, computes, gradients_of, unless_refused
from conformance.checks.observation import plain
from conformance.checks.registry import contract, declared_convention
from conformance.checks.sample import Sample
from conformance.dtype import HALF
from conformance.errors import Unsupported, Violation
from conformance.ops.names import ADD, MULTIPLY, NEGATIVE


@contract("C5", "custom-dtype", Capability.CUSTOM_RULE)
def cotangent_of_another_dtype_is_refused_or_cast(engine: Backend, sample: Sample) -> None:
    """A custom rule's cotangent of another dtype than its operand is refused, or cast to that dtype.

    The rule is that of a product of two dtypes. Where the engine does not multiply these, the product casts one operand.
    """
    x, w = sample.array(), sample.array().astype(_other_dtype(engine, sample))
    product = engine.custom(lambda a, b: a * b, lambda g, a, b: (g * b, g * a))
    if not computes(engine, product, [x, w]):
        cast = cast_to(engine, sample.dtype)
        product = engine.custom(lambda a, b: a * cast(b), lambda g, a, b: (g * cast(b), g * a))
    (value,) = engine.forward(product, [np.array(x), np.array(w)])
    g = sample.array().astype(plain(engine, value).dtype)
    gradients = unless_refused(lambda: gradients_of(engine, product, [x, w], g))
    if gradients is None:
        return
    for got, operand, partner in zip(gradients, (x, w), (w, x), strict=True):
        expected = (g * partner).astype(operand.dtype)
        hold_equal(
            got, expected, f"the gradient of a {operand.dtype} times a {partner.dtype}, by a custom rule"
        )
        if got is not None and got.dtype != operand.dtype:
            raise Violation(f"a custom rule gave a {operand.dtype} operand a gradient of {got.dtype}")


@contract("C5", "custom-dtype-before", Capability.CUSTOM_RULE, Capability.HOOKS)
def cotangent_of_another_dtype_stays_in_its_rule(engine: Backend, sample: Sample) -> None:
    """What comes before a custom rule receives a cotangent of its own dtype, unless another one is refused."""
    x, g = sample.array(), sample.array()
    cast, multiply, seen = cast_to(engine, _other_dtype(engine, sample)), engine.op(MULTIPLY), []
    twice = engine.custom(lambda a: a + a, lambda g, a: (cast(g + g),))

    def function(a: Any) -> Any:
        square = multiply(a, a)
        engine.hook(square, lambda c: seen.append(plain(engine, c)))
        return twice(square)

    if unless_refused(lambda: gradients_of(engine, function, [x], g)) is not None:
        hold_equal(seen[-1] if seen else None, g + g, "the cotangent of what a custom rule doubles")
        if seen[-1].dtype != x.dtype:
            raise Violation(f"a custom rule's cotangent of {seen[-1].dtype} reached a square of {x.dtype}")


@contract("C9", "dtypes", Capability.HOOKS)
def hook_sees_a_cotangent_of_its_values_dtype(engine: Backend, sample: Sample) -> None:
    """A hook sees a cotangent of its value's dtype: also where two add up, a factor is of another dtype, or the seed was."""
    add, multiply, negative = engine.op(ADD), engine.op(MULTIPLY), engine.op(NEGATIVE)
    for dtype in engine.dtypes:
        other = next((d for d in engine.dtypes if d not in {dtype, *HALF}), dtype)
        x, upstream = (np.sign(sample.array()).astype(dtype) for _ in range(2))
        factor = engine.array(np.full(x.shape, 2, other))
        graphs: dict[str, tuple[Function, str, int]] = {
            "that is used twice": (lambda y: add(y, negative(negative(y))), dtype, 2),
            f"whose output's cotangent is of {other}": (negative, other, -1),
            f"that is the output, whose cotangent is of {other},": (lambda y: y, other, 1),
            f"times a {other}": (lambda y, w=factor: multiply(y, w), "", 2),
        }
        for what, (used, given, slope) in graphs.items():
            seen: list[Any] = []

            def function(a: Any, used: Function = used, seen: list[Any] = seen) -> Any:
                y = negative(a)
                engine.hook(y, lambda c: seen.append(plain(engine, c)))
                return used(y)

            if not computes(engine, used, [x]):
                continue  # operands of two dtypes
            (value,) = engine.forward(used, [np.array(x)])
            g = upstream.astype(given or plain(engine, value).dtype)
            if unless_refused(partial(gradients_of, engine, function, [x], g)) is None:
                continue
            what = f"the cotangent that a hook of a {dtype} {what} sees"
            hold_equal(seen[-1] if seen else None, slope * upstream, what)
            if seen[-1].dtype != x.dtype:
                raise Violation(f"{what} is of {seen[-1].dtype}")


@contract("C9", "complex", Capability.HOOKS, Capability.COMPLEX)
def hook_on_a_complex_value_sees_what_is_stored(engine: Backend, sample: Sample) -> None:
    """A hook on a complex value sees its cotangent by the declared convention, no conjugate of it; one on a leaf sees its gradient."""
    convention, multiply = declared_convention(engine, "A18"), engine.op(MULTIPLY)
    z, c, d, g = (sample.array() + 1j * sample.array() for _ in range(4))
    first, second = (engine.array(np.array(factor)) for factor in (c, d))
    seen: dict[str, list[Any]] = {"z": [], "z c": []}

    def function(a: Any) -> Any:
        engine.hook(a, lambda cotangent: seen["z"].append(plain(engine, cotangent)))
        product = multiply(a, first)
        engine.hook(product, lambda cotangent: seen["z c"].append(plain(engine, cotangent)))
        return multiply(product, second)

    (got,) = gradients_of(engine, function, [z], g)
    c, d = (np.conj(factor) if convention == "gradient" else factor for factor in (c, d))
    hold_equal(got, g * d * c, "z's gradient of z c d, of complex numbers, with hooks")
    for what, right in (("z c", g * d), ("z", g * d * c)):
        name = f"the cotangent that a hook on {what} sees, of z c d of complex numbers"
        hold_equal(seen[what][-1] if seen[what] else None, right, name)


def _other_dtype(engine: Backend, sample: Sample) -> str:
    other = next((dtype for dtype in engine.dtypes if dtype != sample.dtype), None)
    if other is None:
        raise Unsupported(f"{engine.engine} has gradients in {sample.dtype} only")
    return other


@contract("C5", "narrow", Capability.CUSTOM_RULE)
def custom_rule_works_in_half_precision(engine: Backend, sample: Sample) -> None:
    """In half precision a custom rule has its gradients, in the operands' dtype; the numbers are exact in it."""
    narrow = [dtype for dtype in engine.dtypes if dtype in HALF]
    if not narrow:
        raise Unsupported(f"{engine.engine} declares no gradients in half precision")
    for dtype in narrow:
        x, w, g = (sample.array((3,)).astype(dtype) for _ in range(3))
        x, g = np.sign(x), np.sign(g)
        product = engine.custom(lambda a, b: a * b, lambda g, a, b: (g * b, g * a))
        for got, right, name in zip(
            gradients_of(engine, product, [x, w], g), (g * w, g * x), "xw", strict=True
        ):
            hold_equal(got, right, f"{name}'s gradient of x w by a custom rule in {dtype}")
            if got is not None and got.dtype != x.dtype:
                raise Violation(f"a custom rule gave an operand of {dtype} a gradient of {got.dtype}")
