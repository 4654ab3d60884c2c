"""An engine that refuses gradients by what an output does not depend on, and declares so, is asked for no such ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import pytest
from conformance_backends.numpy_backend import NumpyTape

from conformance.checks import load_all
from conformance.checks.sample import Sample

ASKED = (
    "contract/B1/output-uses",
    "contract/C5/second-of-three",
    "contract/C5/second-order",
    "contract/C6/captured-second",
    "contract/C6/operands-and-outputs",
    "contract/C6/second-order",
)


class Refusing(NumpyTape):
    """An engine that refuses where no path leads to an operand."""

    def vjp(
        self, function: Any, operands: Any, cotangents: Any, wrt: Sequence[int] | None = None
    ) -> tuple[Any, Any]:
        outputs, gradients = super().vjp(function, operands, cotangents, wrt)
        if any(gradient is None for gradient in gradients):
            raise ValueError("the output does not depend on this operand")
        return outputs, gradients


class Declaring(Refusing):
    """The same, which says so."""

    conventions: ClassVar[Mapping[str, str]] = {**NumpyTape.conventions, "A13": "refused"}


@pytest.mark.parametrize("key", ASKED)
def test_a_declared_refusal_is_no_failure(key: str) -> None:
    check = load_all()[key]
    check.function(Declaring(), Sample(0, "float64"))
    with pytest.raises(ValueError, match="does not depend on this operand"):
        check.function(Refusing(), Sample(0, "float64"))
