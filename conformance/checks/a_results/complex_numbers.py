"""Complex numbers: as outputs (A17), as operands (A18), as intermediate results (A19), as gradient arguments (A5)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from conformance.backend import Backend, Capability, Function
from conformance.case import Array
from conformance.checks.comparison import hold_close, hold_equal
from conformance.checks.each_member import hold_for_each
from conformance.checks.engine_calls import (
    full_sum,
    gradients_of,
    is_refused,
    product_dtype,
    unless_refused,
)
from conformance.checks.members import PARTS, Member, call_of
from conformance.checks.observation import Answer, hold_gradient, plain
from conformance.checks.registry import contract, declared_convention
from conformance.checks.sample import Sample
from conformance.errors import Unsupported, Violation
from conformance.op import Trait
from conformance.ops import CATALOGUE
from conformance.ops.names import ABS, MULTIPLY

ROUNDINGS = 64  # of a product's terms, by which an engine's kernels of real and of complex numbers may differ


def _complex(real: Array, imaginary: Array) -> Array:
    """Complex numbers in the precision of their parts."""
    made = np.array(real + 1j * imaginary)
    return made.astype(np.result_type(real.dtype, np.complex64))


def _drawn(sample: Sample) -> Array:
    """Complex numbers whose products are exact."""
    return _complex(sample.array(), sample.array())


def _diagonal(sample: Sample) -> Array:
    """Complex numbers on the diagonals: the modulus of a product of two is a power of two."""
    real, imaginary = (np.sign(sample.array()) for _ in range(2))
    scale = np.exp2(np.floor(sample.array() % 3))
    return _complex(scale * real, scale * imaginary)


def _constant(engine: Backend, numbers: Array) -> Any:
    """A constant of the engine; a Violation where it lost its imaginary part, since nothing that follows is complex then."""
    constant = engine.array(np.array(numbers))
    kept = plain(engine, constant).dtype
    if numbers.dtype.kind == "c" and kept.kind != "c":
        raise Violation(
            f"a constant of {numbers.dtype} becomes one of {kept}, without its imaginary part and without an error; is it "
            "the adapter's? conformance smoke ADAPTER tells"
        )
    return constant


def _weighted_modulus(engine: Backend, w: Array, *factors: Array) -> Function:
    """The function a ↦ sum(w · |a · factors|): a real loss of numbers that may be complex."""
    multiply, modulus, total = engine.op(MULTIPLY), engine.op(ABS), full_sum(engine)
    weight, *constants = (_constant(engine, c) for c in (w, *factors))

    def loss(a: Any) -> Any:
        for constant in constants:
            a = multiply(a, constant)
        return total(multiply(weight, modulus(a)))

    return loss


@contract("A5", "complex-cotangent")
def complex_gradient_argument_of_a_real_output(engine: Backend, sample: Sample) -> None:
    """A complex gradient argument of a real output is refused, or cast to its real part."""
    x, w, g, h = (sample.array() for _ in range(4))
    gradients = unless_refused(lambda: gradients_of(engine, engine.op(MULTIPLY), [x, w], _complex(g, h)))
    if gradients is None:
        return
    for got, partner in zip(gradients, (w, x), strict=True):
        if got is not None and got.dtype != partner.dtype:
            raise Violation(f"a complex gradient argument makes a gradient of {got.dtype}", got=got)
        hold_equal(got, g * partner, "the gradient for the real part of a complex gradient argument")


@contract("A17", "complex-output")
def complex_output_is_not_treated_as_a_real_one(engine: Backend, sample: Sample) -> None:
    """A complex output without a gradient argument is refused, of one entry or several: it could mean either of two gradients."""
    x, c = sample.array(), _drawn(sample)
    multiply, total = engine.op(MULTIPLY), full_sum(engine)
    product_dtype(engine, x, c)
    constant = _constant(engine, c)
    products = {"a real": (x, lambda a: multiply(a, constant)), "a complex": (c, lambda a: multiply(a, a))}
    for what, (operand, product) in products.items():
        if not is_refused(lambda x=operand, f=product: engine.gradient(lambda a: total(f(a)), [x])):
            raise Violation(f"a complex output of {what} operand was treated as a real one")
        for shape in ((1,), (2,), (2, 2), (3,), (4,)):
            factor = _constant(engine, np.asarray(c.flat[0]))
            entries = np.broadcast_to(operand.flat[:1], shape)
            if not is_refused(
                lambda x=entries, f=factor: engine.gradient(lambda a: multiply(a, f), [np.array(x)])
            ):
                raise Violation(
                    f"a complex output of shape {shape}, of {what} operand, was treated as a real one"
                )


@contract("A18", "real-loss", Capability.COMPLEX)
def gradient_of_complex_operands_follows_one_convention(engine: Backend, sample: Sample) -> None:
    """The gradient of a real loss of complex operands is the declared one of two conjugates."""
    convention = declared_convention(engine, "A18")
    z, c, w = _diagonal(sample), _diagonal(sample), sample.array()
    (gradient,) = engine.gradient(_weighted_modulus(engine, w, c), [z])
    steepest = w * np.conj(c) * (z * c / np.abs(z * c))
    expected = steepest if convention == "gradient" else np.conj(steepest)
    hold_gradient(
        engine,
        gradient,
        expected,
        f"the gradient of sum(w * |z * c|), by the convention {convention!r}",
    )


@contract("A18", "product", Capability.COMPLEX)
def cotangents_of_complex_operands_follow_the_same_convention(engine: Backend, sample: Sample) -> None:
    """The VJP of a product multiplies a complex cotangent by the other factor, or its conjugate, as declared."""
    convention = declared_convention(engine, "A18")
    z, c, g = (_drawn(sample) for _ in range(3))
    got = gradients_of(engine, engine.op(MULTIPLY), [z, c], g)
    for gradient, partner in zip(got, (c, z), strict=True):
        expected = g * (np.conj(partner) if convention == "gradient" else partner)
        hold_equal(gradient, expected, f"the gradient of a complex factor, by the convention {convention!r}")


@contract("A19", "real-operand")
def real_operand_gets_a_real_gradient(engine: Backend, sample: Sample) -> None:
    """A real operand of complex intermediate results gets a real gradient, or the call is refused."""
    # The backward pass divides by the modulus: all moduli are powers of two, so that every quotient is exact.
    x, w, c, d = sample.array(), sample.array(), _diagonal(sample), _diagonal(sample)
    x = np.copysign(np.exp2(np.rint(np.log2(np.abs(x)))), x).astype(x.dtype)
    product_dtype(engine, x, c)
    call = partial(engine.gradient, _weighted_modulus(engine, w, c, d), [x])
    gradients = call() if Capability.COMPLEX in engine.capabilities else unless_refused(call)
    if gradients is None:
        return
    got = plain(engine, gradients[0])
    if got.dtype != x.dtype:
        raise Violation(f"a real operand of {x.dtype} gets a gradient of {got.dtype}", got=got)
    hold_equal(got, w * np.sign(x) * np.abs(c * d), "the gradient of sum(w * |x * c * d|)")


@contract("A19", "every-op", is_wide=True)
def real_operand_beside_complex_ones_gets_the_real_part(engine: Backend, sample: Sample) -> None:
    """Beside complex operands a real one's gradient is real: the real part of that of the same numbers as complex ones.

    The complex operands' gradients do not change. In any op of several operands, or the call is refused.
    """
    double = np.result_type(sample.dtype, np.complex64).name
    if double not in engine.dtypes:
        raise Unsupported(f"{engine.engine} declares no gradients in {double}")

    def hold(number: int, member: Member, alone: Answer) -> None:
        for position in range(len(member.wrt)):
            hold_at(position, member)

    def hold_at(position: int, member: Member) -> None:
        operands, index = member.operands, member.wrt[position]
        operands[index] = np.array(operands[index].real)
        as_complex = [np.array(x) for x in operands]
        as_complex[index] = as_complex[index].astype(double)
        function = member.function(engine)

        # The call may be refused; of one that was recorded the gradient may not.
        traced = unless_refused(lambda: engine.trace(function, operands, member.wrt))
        if traced is None or is_refused(lambda: traced.outputs, engine):
            return
        dtypes = [plain(engine, z).dtype for z in traced.outputs]
        if dtypes != [g.dtype for g in member.cotangents]:
            return  # what is left of the complex operands is real
        pulled = traced.pull([engine.array(g) for g in member.cotangents])
        if pulled[position] is None:
            return
        as_made = engine.vjp(function, as_complex, member.cotangents, member.wrt)[1]
        _hold_complex_ones(engine, member, position, pulled, as_made)
        gradient, right = plain(engine, pulled[position]), plain(engine, as_made[position])
        if gradient.dtype != operands[index].dtype:
            raise Violation(
                f"the real operand {index} of {member} gets a gradient of {gradient.dtype}", got=gradient
            )
        what = f"the gradient of the real operand {index} of {member}, beside complex ones"
        hold_close(gradient, right.real, _rounded(right), what)

    hold_for_each(engine, _several_complex(engine, sample, double), hold)


def _hold_complex_ones(
    engine: Backend, member: Member, real: int, pulled: Sequence[Any], as_made: Sequence[Any]
) -> None:
    """Claim that the gradients of the other operands are those beside the same numbers as complex ones."""
    for position, (ours, other) in enumerate(zip(pulled, as_made, strict=True)):
        if position != real and ours is not None and other is not None:
            gradient, right = plain(engine, ours), plain(engine, other)
            what = f"the gradient of operand {member.wrt[position]} of {member}, beside a real operand {member.wrt[real]}"
            for part in (np.real, np.imag):
                hold_close(part(gradient), part(right), _rounded(right), what)


def _rounded(gradient: Array) -> Array:
    """What kernels of real and of complex numbers may differ by."""
    unit = np.finfo(gradient.dtype).eps * np.abs(gradient).max(initial=0).astype(np.longdouble)
    return np.full(gradient.shape, ROUNDINGS * unit)


def _several_complex(engine: Backend, sample: Sample, dtype: str) -> list[Member]:
    """Calls of the sample's ops of several operands at complex numbers; one for an engine that compiles each."""
    ops = [
        op
        for op in list(CATALOGUE.values())[sample.seed % PARTS :: PARTS]
        if Trait.HOLOMORPHIC in op.traits and op.name in engine.ops
    ]
    drawn = (call_of(op, sample.seed, dtype) for op in ops)
    several = [member for member in drawn if member is not None and len(member.wrt) > 1]
    return several[sample.seed % max(1, len(several)) :][:1] if engine.compiles_signatures else several
