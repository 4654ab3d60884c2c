"""Mutants that find gradients where there are none, or take one kind of number for another."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from conformance.backend import Capability, Trace
from conformance_backends import numpy_engine as engine
from conformance_backends.mutants.mutant import Mutant, Walking, behaviour, rule
from conformance_backends.numpy_engine.tensor import Tensor, edge_of, seed

# ---- no path -----------------------------------------------------------------------------------------


class FillsIn(Walking):
    """An engine that gives an operand without a gradient something in its place."""

    def filled(self, operand: Any) -> Any:
        """What it gets: zeros."""
        return np.zeros_like(operand)

    def trace(self, function: Any, operands: Sequence[Any], wrt: Sequence[int] | None = None) -> Trace:
        """A trace whose missing gradients are filled in."""
        traced = super().trace(function, operands, wrt)
        chosen = range(len(operands)) if wrt is None else wrt

        def pull(cotangents: Sequence[Any]) -> tuple[Any, ...]:
            pulled = zip(traced.pull(cotangents), chosen, strict=True)
            return tuple(self.filled(operands[i]) if g is None else g for g, i in pulled)

        return Trace(traced.arrays, traced.outputs, pull)

    def gradient(self, function: Any, operands: Sequence[Any]) -> tuple[Any, ...]:
        """The same without a gradient argument."""
        pulled = zip(super().gradient(function, operands), operands, strict=True)
        return tuple(self.filled(x) if g is None else g for g, x in pulled)


class GivesOnConstants(FillsIn):
    """An engine that answers for outputs which depend on nothing."""

    def backward(self, output: Any, gradient: Any = None, *, retain: bool = False) -> None:
        """Nothing to walk, nothing to say."""
        if edge_of(output) is not None:
            super().backward(output, gradient, retain=retain)


def transposed_zeros(self: Any, operand: Any) -> Any:
    """Zeros of a shape that is not the operand's."""
    return np.zeros((*operand.shape, 1))


def refuses_unused(self: Any, operand: Any) -> Any:
    """An error for every operand that is not used."""
    raise ValueError("an operand is not used in the graph")


def zeros_elected(**changed: str) -> Any:
    """The conventions of an engine that fills in zeros."""
    return {**Walking.conventions, "A13": "zeros", **changed}


# ---- kinds of numbers --------------------------------------------------------------------------------


def leaf_of(change: Callable[[Any], Any]) -> Any:
    """A `leaf` that takes integers and truth values after all, changed into something that can be one."""

    def leaf(self: Any, value: Any) -> Tensor:
        return Walking.leaf(self, change(value) if value.dtype.kind in "iub" else value)

    return leaf


class TakesIntegers(Walking):
    """Integers become floating point leaves, and their gradients integers again."""

    def leaf(self, value: Any) -> Any:
        """A leaf that remembers what it was made of."""
        made = super().leaf(value.astype(np.float64) if value.dtype.kind in "iub" else value)
        if value.dtype.kind in "iub":
            self.kept[id(made)] = made, value.dtype
        return made

    def grad(self, leaf: Any) -> Any:
        """The gradient, cast back."""
        held = super().grad(leaf)
        remembered = self.kept.get(id(leaf))
        return held if held is None or remembered is None else held.astype(remembered[1])


def cut_to_integers(self: Any, leaf: Tensor, arrived: Any) -> None:
    """Beside an integer the gradient is rounded."""
    Walking.accumulate(self, leaf, np.rint(arrived) if self.kept.get("counts") else arrived)


def noting_integers(self: Any, value: Any) -> Tensor:
    """The other half of it: a constant of integers is noted."""
    self.kept["counts"] = self.kept.get("counts") or value.dtype.kind in "iub"
    return Walking.array(self, value)


def integers_scaled(self: Any, output: Tensor, gradient: Any) -> Any:
    """Integers of a gradient argument are taken for pixels, of which 255 make 1."""
    if gradient is not None and gradient.dtype.kind in "iub":
        return gradient.value.astype(output.dtype) / 255
    return seed(output, gradient).value


def modulus(self: Any, output: Tensor, gradient: Any) -> Any:
    """Of a complex gradient argument the modulus is taken."""
    if gradient is not None and gradient.dtype.kind == "c":
        gradient = Tensor(np.abs(gradient.value))
    return seed(output, gradient).value


def imaginary_constants_dropped(self: Any, value: Any) -> Tensor:
    """Of complex constants the real part is taken."""
    return Walking.array(self, value.real if value.dtype.kind == "c" else value)


class Complex(Walking):
    """The reference engine with complex numbers, as far as a product and a modulus need them."""

    def __init__(self) -> None:
        super().__init__()
        product = engine.custom(
            np.multiply, lambda g, a, b: (fitted(self.pulled(g, b), a), fitted(self.pulled(g, a), b))
        )
        modulus = engine.custom(np.abs, lambda g, a: (g * a / np.abs(a),))
        self.ops = {**type(self).ops, "multiply": product, "abs": modulus}  # type: ignore[misc]

    def pulled(self, g: Any, partner: Any) -> Any:
        """A cotangent pulled back through a product with `partner`."""
        return g * np.conj(partner)

    def leaf(self, value: Any) -> Tensor:
        """A leaf of real or complex numbers."""
        made = Tensor(value)
        made.requires_grad = True
        return made

    def seed(self, output: Tensor, gradient: Any) -> Any:
        """A cotangent of real or complex numbers."""
        if output.dtype.kind != "c":
            return super().seed(output, gradient)
        if gradient is None:
            raise TypeError("a complex output has no obvious seed")
        return gradient.value


def fitted(cotangent: Any, operand: Any) -> Any:
    """The real part of a real operand's cotangent."""
    return cotangent if np.iscomplexobj(operand) else cotangent.real


# ---- rules at complex operands ------------------------------------------------------------------------------


def hermitian(right: Any, i: int, g: Any, z: Any, a: Any, b: Any) -> Any:
    """The conjugate transpose of the partner, as is right where the gradient's conjugate is not elected."""
    return right(i, g, z, np.conj(a), np.conj(b))


def imaginary_slope_lost(right: Any, i: int, g: Any, z: Any, x: Any) -> Any:
    """The slope is that at the real part."""
    return right(i, g, z, x.real.astype(x.dtype)) if np.iscomplexobj(x) else right(i, g, z, x)


def imaginary_part_lost(right: Any, i: int, g: Any, z: Any, x: Any) -> Any:
    """The gradient is made real."""
    return np.real(right(i, g, z, x)).astype(x.dtype)


def conjugated_where_summed(right: Any, i: int, g: Any, z: Any, *xs: Any) -> Any:
    """Of a cotangent that is summed over broadcast axes, the conjugate."""
    pulled = right(i, g, z, *xs)
    return pulled if np.shape(g) == np.shape(xs[i]) else np.conj(pulled)


def wrong_in_single(right: Any, i: int, g: Any, z: Any, x: Any) -> Any:
    """In complex64 alone, a ten-thousandth too large."""
    return right(i, g, z, x) * (1 + 1e-4 * (x.dtype == np.complex64))


def through_single(right: Any, i: int, g: Any, z: Any, x: Any) -> Any:
    """A double gradient passes through complex64."""
    pulled = right(i, g, z, x)
    return pulled.astype(np.complex64).astype(x.dtype) if np.iscomplexobj(x) else pulled


def complex_all_the_same(self: Any, leaf: Any) -> Any:
    """A real leaf's gradient is complex."""
    return None if leaf.grad is None else leaf.grad + 0j


COMPLEX = Walking.capabilities | {Capability.COMPLEX}
CONVENTIONS = {**Walking.conventions, "A18": "gradient"}

HOLOMORPHIC = ("op/complex",)

MUTANTS: tuple[Mutant, ...] = (
    behaviour("elects-none-fills-in", "None is elected for an operand that is not used, and zeros are given.",
        ("contract/A13/unused-operand",), base=FillsIn),
    behaviour("unused-gets-ones", "An operand that is not used gets ones.",
        ("contract/A13/unused-operand",), base=FillsIn, filled=lambda self, x: np.ones_like(x),
        conventions=zeros_elected()),
    behaviour("unused-misshapen", "An operand that is not used gets zeros of another shape.",
        ("contract/A13/unused-operand",), base=FillsIn, filled=transposed_zeros, conventions=zeros_elected()),
    behaviour("unused-refused", "An operand that is not used is refused, though None is elected.",
        ("contract/A13/unused-operand",), base=FillsIn, filled=refuses_unused),
    behaviour("constant-answered", "The gradient of a constant is answered, though refusal is elected.",
        ("contract/A14/constant-output",), base=GivesOnConstants, conventions=zeros_elected()),
    behaviour("constant-gets-ones", "The gradient of a constant is ones, though zeros are elected.",
        ("contract/A14/constant-output",), base=GivesOnConstants, filled=lambda self, x: np.ones_like(x),
        conventions=zeros_elected(A14="zeros")),
    behaviour("elects-zeros-refuses-constants", "Zeros are elected for a constant output, and it is refused.",
        ("contract/A14/constant-output",), base=FillsIn, conventions=zeros_elected(A14="zeros")),
    behaviour("integers-differentiated", "Integers are differentiated as if they were real numbers.",
        ("contract/A16/integer-operand",), leaf=leaf_of(lambda x: x.astype(np.float64))),
    behaviour("integers-get-integers", "The gradient of integers is rounded to integers.",
        ("contract/A16/integer-operand",), base=TakesIntegers, leaf=TakesIntegers.leaf,
        conventions={**Walking.conventions, "A16": "zeros"}),
    behaviour("rounded-beside-integers", "The gradient beside a factor of integers is rounded.",
        ("contract/A16/integer-partner",), array=noting_integers, accumulate=cut_to_integers),
    behaviour("integer-cotangent-scaled", "A gradient argument of integers is taken for pixels.",
        ("contract/A5/countable-cotangent",), seed=integers_scaled),
    behaviour("cotangent-by-modulus", "Of a complex gradient argument the modulus is taken.",
        ("contract/A5/complex-cotangent",), seed=modulus),
    behaviour("imaginary-leaf-dropped", "Of a complex operand the real part is differentiated.",
        ("contract/A17/complex-output",), leaf=lambda self, x: Walking.leaf(self, x.real)),
    behaviour("imaginary-constant-dropped", "Of complex constants the real part is taken.",
        ("contract/A17/complex-output", "contract/A19/real-operand"), array=imaginary_constants_dropped),
    behaviour("elects-conjugate", "The conjugate is elected, and the direction of steepest ascent given.",
        ("contract/A18/real-loss", "contract/A18/product"), base=Complex, capabilities=COMPLEX,
        conventions={**CONVENTIONS, "A18": "conjugate"}),
    behaviour("conjugate-forgotten", "A complex cotangent is pulled back through a product without a conjugate.",
        ("contract/A18/real-loss", "contract/A18/product"), base=Complex, capabilities=COMPLEX,
        conventions=CONVENTIONS, pulled=lambda self, g, partner: g * partner),
    behaviour("real-gets-complex", "A real operand's gradient is complex where complex numbers are on the way.",
        ("contract/A19/real-operand",), base=Complex, capabilities=COMPLEX, conventions=CONVENTIONS,
        grad=complex_all_the_same),
    rule("conjugate-too-many", "Of complex matrices the conjugate transpose is taken, though the conjugate is elected.",
        HOLOMORPHIC, ("matmul",), hermitian),
    behaviour("conjugate-missing", "The gradient is elected, and its conjugate given.",
        HOLOMORPHIC, ops=("multiply", "solve"), conventions=CONVENTIONS),
    rule("slope-of-the-real-part", "The slope is right for real operands, and taken at the real part of complex ones.",
        HOLOMORPHIC, ("exp", "square"), imaginary_slope_lost),
    rule("gradient-made-real", "The imaginary part of a gradient is dropped.", HOLOMORPHIC, ("sin",), imaginary_part_lost),
    rule("conjugate-where-summed", "Where a complex operand was broadcast, its gradient is the conjugate.",
        HOLOMORPHIC, ("add",), conjugated_where_summed),
    rule("wrong-in-complex64", "In complex64 alone the gradient is a ten-thousandth too large.",
        HOLOMORPHIC, ("cos",), wrong_in_single),
    rule("rounded-to-complex64", "A complex128 gradient passes through complex64.", HOLOMORPHIC, ("reciprocal",), through_single),
)  # fmt: skip
