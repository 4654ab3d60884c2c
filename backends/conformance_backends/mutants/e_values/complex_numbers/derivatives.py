"""Mutants whose forward mode, or second derivative, is wrong at complex operands."""

from __future__ import annotations

from typing import Any

import numpy as np

from conformance_backends.mutants.mutant import (
    Mutant,
    NotingForward,
    SteppedTape,
    altered_rule,
    behaviour,
    rule,
)
from conformance_backends.numpy_engine.tensor import Tensor, detach


def conjugated_operand_again(right: Any, i: int, g: Any, z: Any, *xs: Any) -> Any:
    """The rule is right, but what it is differentiated through is the conjugate of the operand, conjugated."""
    pulled = right(i, g, z, *xs)
    if not (np.iscomplexobj(detach(pulled)) and isinstance(pulled, Tensor)):
        return pulled
    return detach(pulled) + 1j * (pulled - detach(pulled))


class ConjugatedTangents(SteppedTape):
    """The reference engine, whose tangents of complex numbers are conjugated."""

    def jvp(self, function: Any, operands: Any, tangents: Any) -> Any:
        """The tangents' conjugates."""
        outputs, pushed = super().jvp(function, operands, tangents)
        return outputs, tuple(Tensor(np.conj(detach(t))) for t in pushed)


class KeptTangents(NotingForward):
    """The reference engine, whose forward mode of conj lacks the conjugate; its reverse mode has it."""

    def __init__(self) -> None:
        super().__init__()

        def in_forward_mode(right: Any, i: int, g: Any, z: Any, x: Any) -> Any:
            return g if self.kept.get("forward") else right(i, g, z, x)

        self.ops = {**type(self).ops, "conj": altered_rule("conj", in_forward_mode)}  # type: ignore[misc]


class Modulus(SteppedTape):
    """The reference engine with a forward mode of the modulus, which lacks the conjugate: Re(z t) / |z|."""

    def jvp(self, function: Any, operands: Any, tangents: Any) -> Any:
        """The tangent without the conjugate."""
        if operands[0].dtype.kind != "c":
            return super().jvp(function, operands, tangents)
        (z,), (t,) = operands, tangents
        value = np.abs(z)
        return (Tensor(value),), (Tensor(np.real(z * t) / value),)


class ConstantAngles(SteppedTape):
    """The reference engine, to which what is flat at real numbers is a constant at complex ones, too."""

    def jvp(self, function: Any, operands: Any, tangents: Any) -> Any:
        """Tangents of zeros."""
        outputs = self.forward(function, operands)
        return outputs, tuple(Tensor(np.zeros_like(detach(z))) for z in outputs)


FORWARD, SECOND, TURNING = ("op/complex-forward",), ("op/complex-second",), ("op/flat-complex",)

MUTANTS: tuple[Mutant, ...] = (
    rule("second-derivative-times-i", "Differentiated again, the gradient of a complex operand is multiplied by i.",
        SECOND, ("exp", "cumulative_prod"), conjugated_operand_again),
    behaviour("conjugated-tangents", "The tangents of complex numbers are conjugated.",
        FORWARD, ops=("sin", "matmul", "reshape"), base=ConjugatedTangents),
    behaviour("conj-keeps-its-tangent", "The tangent of conj is not conjugated.", FORWARD, ops=("conj",), base=KeptTangents),
    behaviour("tangent-of-modulus-unconjugated", "The tangent of the modulus of a complex number lacks the conjugate.",
        FORWARD, ops=("abs",), base=Modulus),
    behaviour("angle-constant-at-complex", "What is flat at real numbers has tangents of zeros at complex ones.",
        TURNING, ops=("angle", "sign"), base=ConstantAngles),
)  # fmt: skip
