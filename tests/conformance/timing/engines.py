"""Miniature engines: one right, the others wrong or unwilling in one way each."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import numpy as np

from conformance.backend import Backend, Capability, FunctionalBackend, TapeBackend
from conformance.errors import Unsupported

STEP = 1e-30


def log_softmax(x: Any, axis: int) -> Any:
    """Shifted by the largest real part, so that it is analytic."""
    z = x - np.max(x.real, axis=axis, keepdims=True)
    return z - np.log(np.sum(np.exp(z), axis=axis, keepdims=True))


OPS: dict[str, Callable[..., Any]] = {
    "matmul": np.matmul,
    "matrix_transpose": np.matrix_transpose,
    "add": np.add,
    "subtract": np.subtract,
    "multiply": np.multiply,
    "negative": np.negative,
    "square": np.square,
    "sin": np.sin,
    "tanh": np.tanh,
    "relu": lambda x: np.where(x.real > 0, x, 0),
    "sum": np.sum,
    "mean": np.mean,
    "log_softmax": log_softmax,
    "exp": np.exp,
    "log": np.log,
    "softmax": lambda x, axis: np.exp(log_softmax(x, axis)),
    "cos": np.cos,
    "sqrt": np.sqrt,
    "divide": np.divide,
    "reshape": np.reshape,
    "conv2d": lambda x, k, c, **_: (
        np.einsum(
            "ncijhw,kchw->nkij", np.lib.stride_tricks.sliding_window_view(x, k.shape[2:], axis=(2, 3)), k
        )
        + c[:, None, None]
    ),
    "max_pool2d": lambda x, **_: x.reshape(*x.shape[:2], x.shape[2] // 2, 2, -1, 2).max(axis=(3, 5)),
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
}


def gradient_by_complex_step(function: Callable[..., Any], operands: Sequence[Any]) -> tuple[Any, ...]:
    """Exact to rounding, without a rule: entry by entry."""
    gradients = [np.zeros_like(x) for x in operands]
    for index, x in enumerate(operands):
        for place in np.ndindex(x.shape):
            stepped = [np.array(operand, np.complex128) for operand in operands]
            stepped[index][place] += STEP * 1j
            gradients[index][place] = np.imag(function(*stepped)) / STEP
    return tuple(gradients)


class Right(FunctionalBackend):
    """Gives every gradient, slowly."""

    engine: ClassVar[str] = "right"
    ops = OPS

    def __init__(self, name: str = "") -> None:
        super().__init__()
        self.name = name or type(self).__name__.lower()

    def version(self) -> str:
        return "1"

    def array(self, value: Any) -> Any:
        return np.array(value)

    def numpy(self, array: Any) -> Any:
        return array

    def answer(self, gradients: tuple[Any, ...]) -> tuple[Any, ...]:
        """What a wrong engine makes of the right gradients."""
        return gradients

    def pullback(self, function: Callable[..., Any], arrays: Sequence[Any]) -> tuple[Any, Any]:
        return function(*arrays), lambda g: self.answer(
            tuple((g * x).astype(x.dtype) for x in gradient_by_complex_step(function, arrays))
        )

    def gradient(self, function: Callable[..., Any], operands: Sequence[Any]) -> tuple[Any, ...]:
        return self.answer(gradient_by_complex_step(function, operands))


class OffByATrifle(Right):
    """One gradient is wrong in the tenth digit."""

    def answer(self, gradients: tuple[Any, ...]) -> tuple[Any, ...]:
        return (gradients[0] * (1 + 1e-10), *gradients[1:])


class DropsOne(Right):
    """The last gradient never arrives."""

    def answer(self, gradients: tuple[Any, ...]) -> tuple[Any, ...]:
        return (*gradients[:-1], None)


class Forgets(Right):
    """Fewer gradients than operands."""

    def answer(self, gradients: tuple[Any, ...]) -> tuple[Any, ...]:
        return gradients[:-1]


class Unshaped(Right):
    """The first gradient is flat."""

    def answer(self, gradients: tuple[Any, ...]) -> tuple[Any, ...]:
        return (gradients[0].ravel(), *gradients[1:])


class Undefined(Right):
    """A gradient is NaN."""

    def answer(self, gradients: tuple[Any, ...]) -> tuple[Any, ...]:
        return (gradients[0] * np.nan, *gradients[1:])


class Narrows(Right):
    """Computes in single precision whatever it is given."""

    def answer(self, gradients: tuple[Any, ...]) -> tuple[Any, ...]:
        return tuple(g.astype(np.float32) for g in gradients)


class WrongForward(Right):
    """Right gradients of a wrong value."""

    def prepare_forward(self, function: Callable[..., Any], operands: Sequence[Any]) -> Any:
        return lambda: (function(*operands) + 1e-3,)


class WrongWhenTimed(Right):
    """Right when called as users call it, wrong in the call that is timed."""

    def prepare_gradient(self, function: Callable[..., Any], operands: Sequence[Any]) -> Any:
        return lambda: tuple(np.zeros_like(x) for x in operands)


class WrongWhenAsked(Right):
    """Right in the call that is timed, wrong when called as users call it."""

    def gradient(self, function: Callable[..., Any], operands: Sequence[Any]) -> tuple[Any, ...]:
        return tuple(np.zeros_like(x) for x in operands)


class Accumulates(Right):
    """Adds every step's gradients to those of the steps before: right the first time only."""

    def prepare_gradient(self, function: Callable[..., Any], operands: Sequence[Any]) -> Any:
        steps = iter(range(1, 10))

        def step() -> tuple[Any, ...]:
            taken = next(steps)
            return tuple(taken * g for g in gradient_by_complex_step(function, operands))

        return step


class Raises(Right):
    """Gives up."""

    def pullback(self, function: Callable[..., Any], arrays: Sequence[Any]) -> tuple[Any, Any]:
        raise RuntimeError("out of order")


class LacksOps(Right):
    """Knows no op at all."""

    def op(self, name: str) -> Any:
        raise Unsupported(f"no {name} here")


class OnlyDouble(Right):
    """Has gradients in one dtype."""

    dtypes = ("float64",)


class Leaf(np.ndarray):
    """A NumPy array distinguishable from a constant, with a place for its gradient."""

    grad: Any = None


class Tape(TapeBackend):
    """A tape engine: what was called last is what backward differentiates."""

    engine: ClassVar[str] = "tape"
    capabilities = frozenset({Capability.TAPE, Capability.CLEARING})
    ops = OPS

    def __init__(self) -> None:
        super().__init__()
        self.name = type(self).__name__.lower()
        self.leaves: list[Leaf] = []
        self.calls: list[str] = []

    def version(self) -> str:
        return "1"

    def array(self, value: Any) -> Any:
        return np.array(value)

    def numpy(self, array: Any) -> Any:
        return np.asarray(array)

    def leaf(self, value: Any) -> Any:
        self.calls.append("leaf")
        leaf = np.array(value).view(Leaf)
        self.leaves.append(leaf)
        return leaf

    def backward(self, output: Any, gradient: Any = None, *, retain: bool = False) -> None:
        """The gradient of Σ xᵢ² of every leaf: the only function this engine can differentiate."""
        self.calls.append("backward")
        for leaf in self.leaves:
            arrived = 2 * np.asarray(leaf)
            leaf.grad = arrived if leaf.grad is None else leaf.grad + arrived

    def grad(self, leaf: Any) -> Any:
        return leaf.grad

    def clear(self, leaf: Any) -> None:
        self.calls.append("clear")
        leaf.grad = None


class NeverClears(Tape):
    """Says that it can clear, and does not."""

    def clear(self, leaf: Any) -> None:
        self.calls.append("clear")


class CannotClear(Tape):
    """A tape whose gradients cannot be cleared."""

    capabilities = frozenset({Capability.TAPE})


class Waits(Right):
    """An asynchronous engine: counts the results it must wait for."""

    def __init__(self) -> None:
        super().__init__()
        self.waited = 0

    def finish(self, array: Any) -> None:
        self.waited += 1


class Asynchronous(Right):
    """Computes as a GPU does: a call only dispatches its work, which is done when somebody waits for it."""

    seconds = 2e-3  # of work behind each call

    def __init__(self) -> None:
        super().__init__()
        self.dispatched = 0
        self.abandoned = 0  # calls that began while the work of earlier ones was not done

    def device(self) -> str:
        return "gpu"

    def _dispatch(self) -> None:
        self.abandoned += self.dispatched > 0
        self.dispatched += 1

    def prepare_gradient(self, function: Callable[..., Any], operands: Sequence[Any]) -> Any:
        gradients = gradient_by_complex_step(function, operands)
        return lambda: (self._dispatch(), gradients)[1]

    def prepare_forward(self, function: Callable[..., Any], operands: Sequence[Any]) -> Any:
        value = function(*operands)
        return lambda: (self._dispatch(), (value,))[1]

    def synchronize(self) -> None:
        """Wait, idly, until everything that was dispatched is done."""
        time.sleep(self.seconds * self.dispatched)
        self.dispatched = 0

    def finish(self, array: Any) -> None:
        self.synchronize()


class NeverWaitedFor(Asynchronous):
    """Its adapter forgets to say how to wait; to read a value waits all the same."""

    finish = Backend.finish

    def numpy(self, array: Any) -> Any:
        self.synchronize()
        return array


WRONG: tuple[type[Backend], ...] = (
    OffByATrifle, DropsOne, Forgets, Unshaped, Undefined, Narrows, WrongForward, WrongWhenTimed,
    WrongWhenAsked, Accumulates, Raises, LacksOps,
)  # fmt: skip
