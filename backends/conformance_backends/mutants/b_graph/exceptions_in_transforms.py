"""Mutants that are wrong after an exception inside a function that they transform."""

from __future__ import annotations

from typing import Any

import numpy as np

from conformance.backend import Function
from conformance_backends.mutants.mutant import Mutant, SteppedTape, WithTransforms, behaviour
from conformance_backends.numpy_engine.tensor import Tensor, detach


def zeros_pushed_after_an_exception(self: Any, function: Function, operands: Any, tangents: Any) -> Any:
    """After an exception in forward mode all tangents are zeros."""
    try:
        outputs, pushed = SteppedTape.jvp(self, function, operands, tangents)
    except Exception:
        self.kept["raised"] = True
        raise
    return outputs, tuple(np.zeros_like(detach(t)) for t in pushed) if self.kept.get("raised") else pushed


class StillMapping(WithTransforms):
    """After an exception inside a mapped function its operands are constants in every other one."""

    def vectorized(self, function: Function) -> Function:
        """The function row by row."""
        right = super().vectorized(function)

        def call(*operands: Any) -> Any:
            within, self.kept["mapping"] = self.kept.get("mapping", False), True
            output = right(*(Tensor(detach(x)) for x in operands)) if within else right(*operands)
            self.kept["mapping"] = within
            return output

        return call


def exception_in_a_loop_swallowed(self: Any, step: Function, carry: Any, items: Any) -> Any:
    """A loop over items in which a step raises returns its carry."""
    try:
        return SteppedTape.scan(self, step, carry, items)
    except Exception as error:
        if "on purpose" not in str(error):
            raise
        return carry, items


MUTANTS: tuple[Mutant, ...] = (
    behaviour("zeros-pushed-after-an-exception", "After an exception in forward mode all tangents are zeros.",
        ("contract/B18/exception-in-transforms",), jvp=zeros_pushed_after_an_exception),
    behaviour("still-mapping-after-an-exception", "After an exception inside a mapped function the operands of the next one are constants.",
        ("contract/B18/exception-in-transforms",), base=StillMapping),
    behaviour("exception-in-a-loop-swallowed", "A loop over items in which a step raises returns the carry with which it began.",
        ("contract/B18/exception-in-transforms",), scan=exception_in_a_loop_swallowed),
)  # fmt: skip
