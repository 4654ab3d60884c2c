"""Mutants that treat complex operands or cotangents wrongly."""

from __future__ import annotations

from typing import Any

import numpy as np

from conformance.backend import Capability
from conformance_backends import numpy_engine as engine
from conformance_backends.mutants.mutant import Mutant, SteppedTape, behaviour, rule
from conformance_backends.numpy_engine.seeds import seed
from conformance_backends.numpy_engine.tensor import Tensor


def modulus(self: Any, output: Tensor, gradient: Any) -> Any:
    """Of a complex gradient argument the modulus is taken."""
    if gradient is not None and gradient.dtype.kind == "c":
        gradient = Tensor(np.abs(gradient.value))
    return seed(output, gradient).value


def imaginary_constants_dropped(self: Any, value: Any) -> Tensor:
    """Of complex constants the real part is taken."""
    return SteppedTape.array(self, value.real if value.dtype.kind == "c" else value)


def pairs_seeded(self: Any, output: Tensor, gradient: Any) -> Any:
    """A complex output of two entries has a seed, since its parts are counted."""
    is_pair = gradient is None and output.dtype.kind == "c" and output.size == 2
    return np.ones(output.shape, output.dtype) if is_pair else seed(output, gradient).value


class Complex(SteppedTape):
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
        return Tensor(value, requires_grad=True)

    def seed(self, output: Tensor, gradient: Any) -> Any:
        """A cotangent of real or complex numbers."""
        if output.dtype.kind != "c":
            return super().seed(output, gradient)
        if gradient is None:
            raise TypeError("a complex output has no default seed")
        return gradient.value


def fitted(cotangent: Any, operand: Any) -> Any:
    """The real part of a real operand's cotangent."""
    return cotangent if np.iscomplexobj(operand) else cotangent.real


def made_complex(self: Any, leaf: Any) -> Any:
    """A real leaf's gradient is complex."""
    return None if leaf.grad is None else leaf.grad + 0j


def modulus_for_real(right: Any, i: int, g: Any, z: Any, *operands: Any) -> Any:
    """A real operand's cotangent is the modulus of the complex one."""
    pulled = right(i, g, z, *operands)
    is_mixed = operands[i].dtype.kind == "f" and pulled.dtype.kind == "c"
    return np.abs(pulled) if is_mixed else pulled


def raises_for_real(right: Any, i: int, g: Any, z: Any, *operands: Any) -> Any:
    """Beside a complex operand the rule for a real one raises."""
    if {x.dtype.kind for x in operands} == {"f", "c"}:
        raise TypeError("a real operand and a complex one")
    return right(i, g, z, *operands)


COMPLEX = SteppedTape.capabilities | {Capability.COMPLEX}


CONVENTIONS = {**SteppedTape.conventions, "A18": "gradient"}


def conjugate_beside_a_real_factor(right: Any, i: int, g: Any, z: Any, *xs: Any) -> Any:
    """The gradient of a complex factor is conjugated where the other is real."""
    pulled = right(i, g, z, *xs)
    return np.conj(pulled) if xs[i].dtype.kind == "c" and xs[1 - i].dtype.kind == "f" else pulled


MUTANTS: tuple[Mutant, ...] = (
    behaviour("cotangent-by-modulus", "A complex gradient argument is replaced by its modulus.",
        ("contract/A5/complex-cotangent",), seed=modulus),
    behaviour("imaginary-leaf-dropped", "A complex operand is replaced by its real part before it is differentiated.",
        ("contract/A17/complex-output",), leaf=lambda self, x: SteppedTape.leaf(self, x.real)),
    behaviour("complex-pairs-seeded", "A complex output of two entries is differentiated without a gradient argument.",
        ("contract/A17/complex-output",), seed=pairs_seeded),
    behaviour("imaginary-constant-dropped", "Complex constants are replaced by their real parts.",
        ("contract/A17/complex-output", "contract/A19/real-operand"), array=imaginary_constants_dropped),
    behaviour("declares-conjugate", "The adapter declares the conjugate, and the direction of steepest ascent is returned.",
        ("contract/A18/real-loss", "contract/A18/product"), base=Complex, capabilities=COMPLEX,
        conventions={**CONVENTIONS, "A18": "conjugate"}),
    behaviour("product-without-conjugate", "A complex cotangent is pulled back through a product without a conjugate.",
        ("contract/A18/real-loss", "contract/A18/product"), base=Complex, capabilities=COMPLEX,
        conventions=CONVENTIONS, pulled=lambda self, g, partner: g * partner),
    behaviour("real-gets-complex", "A real operand's gradient is complex where other values are complex.",
        ("contract/A19/real-operand",), base=Complex, capabilities=COMPLEX, conventions=CONVENTIONS,
        grad=made_complex),
    rule("modulus-for-real", "Beside complex operands a real one gets the modulus of its cotangent.",
        ("contract/A19/every-op",), ("multiply", "matmul", "divide", "pow", "where", "lerp", "fma", "subtract", "logaddexp"),
        modulus_for_real),
    rule("raises-for-real", "A call with a real operand beside complex ones is recorded, and its rule raises.",
        ("contract/A19/every-op",), ("multiply", "matmul", "divide"), raises_for_real),
    rule("conjugate-beside-a-real-factor", "The gradient of a complex factor is conjugated where the other factor is real.",
        ("contract/A19/every-op",), ("multiply",), conjugate_beside_a_real_factor),
)  # fmt: skip
