"""Mutants that call the wrong function of two, or both."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from conformance.backend import Function
from conformance_backends import numpy_engine as engine
from conformance_backends.mutants.mutant import Mutant, SteppedTape, behaviour
from conformance_backends.numpy_engine.graph import Node
from conformance_backends.numpy_engine.tensor import Tensor, detach, edge_of, wrap

BRANCH = "contract/C11/branch"


def listed(outputs: Any) -> tuple[Any, ...]:
    """Several outputs, or one."""
    return tuple(outputs) if isinstance(outputs, (tuple, list)) else (outputs,)


def both_by_a_mask(
    self: Any, condition: Any, then: Function, otherwise: Function, operands: Sequence[Any]
) -> Any:
    """Both functions are called, and their results multiplied by 1 and 0."""
    flag = bool(detach(condition))
    results = [listed(f(*operands)) for f in (then, otherwise)]
    mixed = tuple(
        a * np.asarray(flag, a.dtype) + b * np.asarray(not flag, b.dtype)
        for a, b in zip(*results, strict=True)
    )
    return mixed[0] if len(mixed) == 1 else mixed


def captured_are_constants(
    self: Any, condition: Any, then: Function, otherwise: Function, operands: Sequence[Any]
) -> Any:
    """What a branch captures is a constant."""
    values = [Tensor(detach(x), requires_grad=True) for x in operands]
    output, pullback = engine.vjp(then if detach(condition) else otherwise, *values)

    def pulled(cotangents: Sequence[Any]) -> list[Any]:
        given = [*cotangents, *[None] * (len(listed(output)) - len(cotangents))]
        return list(pullback(*given))

    plain = tuple(map(detach, output)) if isinstance(output, tuple) else detach(output)
    return wrap(plain, Node("branch", [edge_of(x) for x in operands], pulled))


class FirstConditionKept(SteppedTape):
    """A branch whose condition is computed is taken as at its first call."""

    def branch(self, condition: Any, then: Function, otherwise: Function, operands: Sequence[Any]) -> Any:
        """The engine's branch, by the first condition."""
        return engine.branch(self.kept.setdefault("flag", bool(detach(condition))), then, otherwise, operands)


def first_result_alone(
    self: Any, condition: Any, then: Function, otherwise: Function, operands: Sequence[Any]
) -> Any:
    """Of several results of a branch the first one has a history."""
    outputs = engine.branch(condition, then, otherwise, operands)
    if not isinstance(outputs, tuple):
        return outputs
    return (outputs[0], *(Tensor(detach(z)) for z in outputs[1:]))


def unchanged_is_the_first(
    self: Any, condition: Any, then: Function, otherwise: Function, operands: Sequence[Any]
) -> Any:
    """Where a branch returns an operand unchanged, the result is the first one."""
    output = engine.branch(condition, then, otherwise, operands)
    return operands[0] if any(output is x for x in operands) else output


class RulesUnused(SteppedTape):
    """In a branch a custom rule is not used: what it computes is differentiated."""

    def custom(self, forward: Function, backward: Function) -> Function:
        """The rule, or the op without it."""
        ruled = engine.custom(forward, backward)
        return lambda *operands: (forward if self.kept.get("inside") else ruled)(*operands)

    def branch(self, condition: Any, then: Function, otherwise: Function, operands: Sequence[Any]) -> Any:
        """The engine's branch, which notes that it is at work."""
        self.kept["inside"] = True
        try:
            return engine.branch(condition, then, otherwise, operands)
        finally:
            self.kept["inside"] = False


class OneBranchForALoop(SteppedTape):
    """In a loop every step takes the branch of the first."""

    def scan(self, step: Function, carry: Any, items: Any) -> Any:
        """The engine's loop, which forgets the branch of an earlier one."""
        self.kept["flags"] = []
        try:
            return engine.scan(step, carry, items)
        finally:
            self.kept["flags"] = None

    def branch(self, condition: Any, then: Function, otherwise: Function, operands: Sequence[Any]) -> Any:
        """The engine's branch."""
        flags = self.kept.get("flags")
        if flags is not None:
            flags.append(bool(detach(condition)))
            condition = flags[0]
        return engine.branch(condition, then, otherwise, operands)


MUTANTS: tuple[Mutant, ...] = (
    behaviour("branch-by-a-mask", "Both functions of a branch are called, and what is not taken is multiplied by zero.",
        ("contract/C11/branch-nan",), branch=both_by_a_mask),
    behaviour("branch-captured-constant", "What a branch captures has no gradient.", (BRANCH, "capability/branches"), branch=captured_are_constants),
    behaviour("branch-of-first-condition", "A branch of the engine's own is taken as at its first call.",
        (BRANCH, "contract/C11/branch-condition"), base=FirstConditionKept),
    behaviour("branch-first-result-alone", "Of several results of a branch the first one has a gradient.",
        ("contract/C11/branch-outputs",), branch=first_result_alone),
    behaviour("branch-unchanged-is-the-first", "Where a branch returns an operand unchanged, the result is its first operand.",
        ("contract/C11/branch-through",), branch=unchanged_is_the_first),
    behaviour("branch-without-rules", "In a branch custom rules are not used.", ("contract/C11/branch-rule",), base=RulesUnused),
    behaviour("branch-one-for-a-loop", "In a loop every step takes the branch of the first step.",
        ("contract/C11/branch-in-a-loop",), base=OneBranchForALoop),
)  # fmt: skip
