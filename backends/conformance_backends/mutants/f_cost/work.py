"""Mutants that call a function or a rule too seldom, or too often."""

from __future__ import annotations

from typing import Any

from conformance_backends.mutants.mutant import Mutant, SteppedTape, behaviour


def without_calling(self: Any, function: Any, operands: Any) -> Any:
    """The gradient of the function that the checks use, hard-coded."""
    x, w = operands
    return (2 * x @ w @ w.T, 2 * x.T @ x @ w)


def rule_twice(self: Any, forward: Any, backward: Any) -> Any:
    """A custom rule is called once more, as if to check that it is repeatable."""

    def checked(g: Any, *operands: Any) -> Any:
        backward(g, *operands)
        return backward(g, *operands)

    return SteppedTape.custom(self, forward, checked)


MUTANTS: tuple[Mutant, ...] = (
    behaviour("result-hard-coded", "The gradient is returned without calling the function.",
        ("contract/F4/calls",), gradient=without_calling),
    behaviour("rule-called-as-a-check", "A custom rule is called once more for each use, as a check.",
        ("contract/F3/work", "contract/C5/custom-rule"), custom=rule_twice),
)  # fmt: skip
