"""An observation: one case on one engine, answered once.

The op checks share an observation, so that a case is drawn and converted once, however many claims
are tested on it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, ValuesView
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeVar

import numpy as np

from conformance.backend import Backend, TapeBackend, Trace
from conformance.case import Array, Case
from conformance.checks.comparison import Comparison, hold_all_within, hold_equal
from conformance.checks.conversion import (
    WrongCount,
    converted,
    hold_count,
    hold_no_list,
    not_an_array_of_numbers,
)
from conformance.checks.registry import NotThisCase
from conformance.dtype import carried
from conformance.errors import AdapterError, ConformanceError, Violation, error_text
from conformance.op import Op
from conformance.oracle.allowance import (
    PERTURBATIONS,
    Expected,
    differentiable,
    expected_gradients,
)
from conformance.oracle.symmetry import is_symmetric, symmetric_part
from conformance.trace import Listed

T = TypeVar("T")


@dataclass(frozen=True)
class Answer:
    """What an engine answered, as plain arrays."""

    outputs: tuple[Array, ...]
    gradients: tuple[Array | None, ...]


def decided_part(op: Op, index: int, gradient: Array) -> Array:
    """The part of the gradient of operand `index` that the op's values decide: of a symmetric operand, the symmetric part.

    An engine that reads one triangle puts all of it there.
    """
    return symmetric_part(gradient) if is_symmetric(op, index) else gradient


class Oracle:
    """What is known of one case without an engine: which gradients there are, and what they must be.

    Attributes:
        op: the row.
        case: the call.
        perturbations: how many trials of rounding the allowance is found from.
        wrt: the operands that have a gradient.
    """

    def __init__(self, op: Op, case: Case, perturbations: int = PERTURBATIONS) -> None:
        self.op = op
        self.case = case
        self.perturbations = perturbations
        self.wrt = differentiable(op, case)
        self._shared: dict[str, Any] = {}

    def shared(self, name: str, find: Callable[[], Any]) -> Any:
        """What several checks of this case use, and all modes of an engine, found once."""
        if name not in self._shared:
            self._shared[name] = find()
        return self._shared[name]

    @cached_property
    def expected(self) -> list[Expected]:
        """What the gradients must be."""
        return expected_gradients(self.op, self.case, perturbations=self.perturbations)

    def label(self, position: int) -> str:
        """The gradient at `position` in messages."""
        return f"the gradient of operand {self.wrt[position]}"


class Observation:
    """One case put to one backend: the oracle's half, and the engine's answers beside it."""

    def __init__(self, backend: Backend, oracle: Oracle) -> None:
        self.backend = backend
        self.oracle = oracle
        self.op, self.case, self.wrt = oracle.op, oracle.case, oracle.wrt
        self.perturbations = oracle.perturbations
        self._shared: dict[str, Any] = {}

    def shared(self, name: str, find: Callable[[], Any]) -> Any:
        """What several checks of this observation use, found once."""
        if name not in self._shared:
            self._shared[name] = find()
        return self._shared[name]

    @property
    def expected(self) -> list[Expected]:
        """What the gradients must be."""
        return self.oracle.expected

    def label(self, position: int) -> str:
        """The gradient at `position` in messages."""
        return self.oracle.label(position)

    def with_perturbations(self, perturbations: int) -> Observation:
        """The same case observed again, its allowance found from so many trials; what checks share is not asked twice."""
        again = Observation(self.backend, Oracle(self.op, self.case, perturbations))
        again._shared = self._shared
        return again

    @cached_property
    def answer(self) -> Answer:
        """The engine's outputs and gradients for the case itself."""
        return self.vjp()

    def vjp(
        self,
        *,
        cotangents: Sequence[Array] | None = None,
        operands: Sequence[Array] | None = None,
        parameters: Mapping[str, Any] | None = None,
    ) -> Answer:
        """Ask for the case's gradients, with other cotangents, operands or parameters where given.

        Raises Violation where a gradient has not the shape of its operand: no claim about such gradients holds.
        """
        function = self.backend.call(self.op.name, self.case.parameters if parameters is None else parameters)
        given = [np.array(x) for x in self.case.operands] if operands is None else operands
        pushed = [np.array(g) for g in self.case.cotangents] if cotangents is None else cotangents
        try:
            outputs, gradients = self.backend.vjp(function, given, pushed, self.wrt)
        except Exception as error:
            if operands is None and parameters is None and not isinstance(error, ConformanceError):
                self._hold_shapes(f"so the gradient is refused: {error_text(error)}")
            raise
        hold_count(self.op.name, outputs, len(pushed))
        if len(gradients) != len(self.wrt):
            raise AdapterError(
                f"{len(gradients)} gradients for {len(self.wrt)} operands, of {self.case.label}"
            )
        pulled = tuple(None if g is None else self._plain([g])[0] for g in gradients)
        for position, gradient in enumerate(pulled):
            shape = (self.case.operands if operands is None else operands)[self.wrt[position]].shape
            if gradient is not None and gradient.shape != shape:
                said = f"{self.label(position)} has shape {gradient.shape}, its operand {shape}"
                if operands is None and parameters is None:
                    self._hold_shapes(f"and {said}")
                raise Violation(said)
        decided = (
            None if g is None else decided_part(self.op, i, g) for i, g in zip(self.wrt, pulled, strict=True)
        )
        return Answer(self._plain(outputs), tuple(decided))

    def _hold_shapes(self, so: str) -> None:
        """Claim that the value has the shape of the case's cotangents: what follows from another is said behind it."""
        try:
            shapes = [z.shape for z in self.forward()]
        except WrongCount:
            raise
        except Exception:
            return
        expected = [g.shape for g in self.case.cotangents]
        for got, shape in zip(shapes, expected, strict=False):
            if got != shape:
                raise Violation(
                    f"the value has shape {got}, expected {shape}; is it the adapter's? conformance smoke ADAPTER "
                    f"-q {self.op.name} tells; {so}"
                )

    def allowed_for(
        self,
        *,
        cotangents: Sequence[Array] | None = None,
        operands: Sequence[Array] | None = None,
        parameters: Mapping[str, Any] | None = None,
    ) -> list[Array]:
        """What the oracle allows the gradients of the call that `vjp` makes of the same arguments.

        A law that compares two calls allows each its own error: those of two calls need not be alike.
        """
        call = replace(
            self.case,
            operands=self.case.operands if operands is None else tuple(operands),
            cotangents=self.case.cotangents if cotangents is None else tuple(cotangents),
            parameters=self.case.parameters if parameters is None else parameters,
        )
        expected = expected_gradients(self.op, call, perturbations=self.perturbations)
        return [bound.allowed for bound in expected]

    def forward(self) -> tuple[Array, ...]:
        """The engine's outputs, computed without any gradient."""
        return self._value

    @cached_property
    def _value(self) -> tuple[Array, ...]:
        function = self.backend.call(self.op.name, self.case.parameters)
        outputs = self.backend.forward(function, [np.array(x) for x in self.case.operands])
        hold_count(self.op.name, outputs, len(self.case.cotangents))
        if isinstance(outputs, Listed) and len(outputs) == 1:
            of_one = self.op.reference(*map(carried, self.case.operands), **self.case.parameters)
            hold_no_list(self.op.name, is_of_several=isinstance(of_one, (tuple, list)))
        return self._plain(outputs)

    def _plain(self, arrays: Sequence[Any]) -> tuple[Array, ...]:
        """The values of arrays; an AdapterError names the op and its call."""
        try:
            return tuple(plain(self.backend, array) for array in arrays)
        except AdapterError as slip:
            raise AdapterError(f"{slip}, of {self.case.label}") from slip

    def trace(self) -> Trace:
        """The case called again, ready to be pulled back once."""
        function = self.backend.call(self.op.name, self.case.parameters)
        return self.backend.trace(function, [np.array(x) for x in self.case.operands], self.wrt)


def hold_gradients(seen: Observation, expected: Sequence[Expected] | None = None) -> list[Comparison]:
    """Claim that the gradients are within what is allowed, those of the oracle where no others are given."""
    bounds = seen.expected if expected is None else expected
    pairs = enumerate(zip(seen.answer.gradients, bounds, strict=True))
    return hold_all_within((got, bound, seen.label(position)) for position, (got, bound) in pairs)


def plain(backend: Backend, array: Any) -> Array:
    """The values of an engine's array, copied; AdapterError where the adapter returns no array of numbers.

    A scalar of NumPy is an array without axes. Where the engine gave None, there is no array to look at: a Violation.
    What a lazy engine raises when it computes is raised by `finish`, not by the conversion.
    """
    if array is None:
        raise Violation("the engine gave None where an array is expected")
    backend.finish(array)
    value = converted(backend, array)
    value = np.asarray(value) if isinstance(value, np.generic) else value
    found = not_an_array_of_numbers(value)
    if found:
        raise AdapterError(
            f"{type(backend).__name__}.numpy() returned {found}, where a numpy.ndarray of numbers is expected"
        )
    return np.array(value)


def hold_gradient(backend: Backend, given: Any, expected: Array, what: str) -> None:
    """Claim that a gradient has arrived, and is the expected one bit for bit."""
    if given is None:
        raise Violation(
            f"{what}: dropped, the engine gave None", expected=expected, got=np.zeros_like(expected)
        )
    hold_equal(plain(backend, given), expected, what)


def finished(backend: Backend, result: T) -> T:
    """What an engine returned, with every array in it computed, in tuples, lists and dictionaries, too."""
    parts = result.values() if isinstance(result, dict) else result
    if isinstance(parts, (tuple, list, ValuesView)):
        for part in parts:
            finished(backend, part)
    elif result is not None:
        backend.finish(result)
    return result


def stored(tape: TapeBackend, leaf: Any) -> Array | None:
    """The stored gradient of a leaf, copied; None where nothing is stored."""
    gradient = tape.grad(leaf)
    return None if gradient is None else plain(tape, gradient)


def overwrite(backend: Backend, array: Any, value: Array | float, what: str) -> None:
    """Write numbers into the memory of an engine's array.

    Raises AdapterError where the adapter gives no memory, Violation where that cannot be written, and NotThisCase where
    the engine gives a number of NumPy's, as many do for arrays without axes: nothing can be written into it.
    """
    memory: object = backend.memory(array)
    if isinstance(memory, np.generic):
        raise NotThisCase(f"{what} is a number of NumPy's, into which nothing can be written")
    if not isinstance(memory, np.ndarray):
        found = type(memory).__name__
        raise AdapterError(
            f"{type(backend).__name__}.memory() returned {found}, where a numpy.ndarray is expected"
        )
    if not memory.flags.writeable:
        raise Violation(f"{what} is memory that cannot be written: it is somebody else's")
    memory[...] = value
