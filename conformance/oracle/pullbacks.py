"""What a history of pullbacks means: each is a program, however often and whenever it is called."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from conformance.case import Array
from conformance.history import Call, Verb
from conformance.op import Op
from conformance.oracle.reverse_sweep import gradient_bounds, reverse_sweep
from conformance.program import Program, Step

LARGEST_VALUE = 64.0
LARGEST_GRADIENT = 2.0**10  # it may be a factor of the next function

Find = Callable[[str], Op]


class Pullbacks:
    """The constants so far, and the function of every pullback as a program.

    Attributes:
        constants: by number.
        programs: by number. What is pulled within a function is a leaf behind its operands.
        broken: the pullbacks in which a rule raises.
    """

    def __init__(self, find: Find) -> None:
        self.find = find
        self.constants: dict[int, Array] = {}
        self.programs: dict[int, Program] = {}
        self.broken: set[int] = set()
        self._arity: dict[int, int] = {}

    def allows(self, call: Call) -> bool:
        """Whether what the call names exists, and its results are small enough to be exact."""
        if call.verb is Verb.CONSTANT:
            return True
        if call.verb in (Verb.PULL, Verb.PULL_MISSHAPEN):
            return call.of[0] in self.programs
        if call.verb is Verb.PULL_WITHIN and call.of[0] not in set(self.programs) - self.broken:
            return False
        if any(number not in self.constants for number in operands_of(call)):
            return False
        program = self._program(call)
        values = program.run(self._call, program.leaves)
        if max(np.abs(x).max(initial=0.0) for x in values[len(operands_of(call)) :]) > LARGEST_VALUE:
            return False
        cotangent = np.full_like(values[-1], 3)
        bounds = gradient_bounds(program, self.find, (*program.leaves, cotangent))
        return max(float(bound.max(initial=0.0)) for bound in bounds) <= LARGEST_GRADIENT

    def take(self, call: Call) -> None:
        """Note what a call makes."""
        if call.verb is Verb.CONSTANT:
            assert call.made is not None
            assert call.array is not None
            self.constants[call.made] = call.array
        elif call.made is not None:
            self.programs[call.made] = self._program(call)
            self._arity[call.made] = len(operands_of(call))
            if call.parameters["is_broken"]:
                self.broken.add(call.made)

    def output(self, call: Call) -> Array:
        """The value of the function of a call."""
        program = self._program(call)
        value = np.asarray(program.run(self._call, program.leaves)[-1])
        return value + value if call.parameters["is_broken"] else value

    def shape(self, number: int) -> tuple[int, ...]:
        """The shape of a cotangent for a pullback."""
        program = self.programs[number]
        return np.shape(program.run(self._call, program.leaves)[-1])

    def pulled(self, number: int, cotangent: Array) -> list[Array]:
        """What a call of a pullback must give, for every operand."""
        program = self.programs[number]
        return reverse_sweep(program, self.find, (*program.leaves, cotangent))[: self._arity[number]]

    def _program(self, call: Call) -> Program:
        leaves = [self.constants[number] for number in operands_of(call)]
        if call.verb is Verb.PULL_WITHIN:
            assert call.array is not None
            leaves.append(self.pulled(call.of[0], call.array)[0])
        steps = tuple(Step(op, inputs, {}) for op, inputs in call.parameters["steps"])
        return Program(tuple(leaves), steps, leaves[0], leaves[0].dtype.name)

    def _call(self, op: str, parameters: Mapping[str, Any]) -> Callable[..., Any]:
        return self.find(op).reference


def operands_of(call: Call) -> tuple[int, ...]:
    """The numbers of the constants at which a call takes a pullback."""
    return call.of[1:] if call.verb is Verb.PULL_WITHIN else call.of
