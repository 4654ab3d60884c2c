"""What is timed of a backend: one training step on operands that are already the engine's.

A training step runs forward and backward on parameters that live in the engine, and clears what the
step before left. So operands are converted before the clock starts: a tape engine that can clear its
leaves keeps them, any other makes fresh leaves each time, as its users must.

An adapter whose engine is used in another way in training (compiled, or with the value along with the
gradient) says so with methods of its own, called in place of the defaults here:
`prepare_gradient(function, operands)` and `prepare_forward(function, operands)`, each returning what
the default returns. An adapter whose engine only dispatches its work, to a GPU or to threads, defines `finish`: it is
called for every result within the time; `device()`, where an adapter has it, names what computes. An adapter whose engine computes with NumPy has the attribute `computes_with_numpy = True`: such an engine
cannot be faster than NumPy by hand, and a figure that says so is marked.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from conformance.backend import Backend, Capability, Function, FunctionalBackend, NDArray, TapeBackend

Step = Callable[[], tuple[Any, ...]]


def prepare_gradient(backend: Backend, function: Function, operands: Sequence[NDArray]) -> Step:
    """A call that computes the gradients of scalar `function`, as the engine's arrays."""
    own = getattr(backend, "prepare_gradient", None)
    if own is not None:
        return finished(backend, own(function, operands))
    if isinstance(backend, TapeBackend):
        return finished(backend, tape_step(backend, function, operands))
    if isinstance(backend, FunctionalBackend) and type(backend).vjp is Backend.vjp:
        return finished(backend, pullback_step(backend, function, operands))
    seed = np.ones((), operands[0].dtype)  # a mode of its own (compiled), with conversion inside
    return finished(backend, lambda: backend.vjp(function, operands, [seed])[1])


def prepare_forward(backend: Backend, function: Function, operands: Sequence[NDArray]) -> Step:
    """A call that computes the value of `function` on constants, so that nothing is recorded."""
    own = getattr(backend, "prepare_forward", None)
    if own is not None:
        return finished(backend, own(function, operands))
    if type(backend).forward is not Backend.forward:  # a mode of its own (compiled), with conversion inside
        return finished(backend, lambda: backend.forward(function, operands))
    arrays = [backend.array(x) for x in operands]
    return finished(backend, lambda: (function(*arrays),))


def tape_step(backend: TapeBackend, function: Function, operands: Sequence[NDArray]) -> Step:
    """Clear, forward, backward; or fresh leaves where a gradient cannot be cleared."""
    if Capability.CLEARING not in backend.capabilities:
        return lambda: backend.gradient(function, operands)
    leaves = [backend.leaf(x) for x in operands]

    def step() -> tuple[Any, ...]:
        # Cleared first: an engine may clear in place, and then what is returned here would be zeros.
        for leaf in leaves:
            backend.clear(leaf)
        backend.backward(function(*leaves))
        return tuple(backend.grad(leaf) for leaf in leaves)

    return step


def pullback_step(backend: FunctionalBackend, function: Function, operands: Sequence[NDArray]) -> Step:
    """Forward with its pullback, called once with the seed 1."""
    arrays = [backend.array(x) for x in operands]
    seed = backend.array(np.ones((), operands[0].dtype))

    def step() -> tuple[Any, ...]:
        _, pulled = backend.pullback(function, arrays)
        return tuple(pulled(seed))

    return step


def finished(backend: Backend, step: Step) -> Step:
    """`step`, returning only when everything has been computed."""
    if not is_waited_for(backend):  # do not time the call
        return step

    def waited() -> tuple[Any, ...]:
        results = step()
        for result in results:
            backend.finish(result)
        return results

    return waited


def is_waited_for(backend: Backend) -> bool:
    """Whether the engine computes elsewhere or later, so that its adapter says how to wait: `finish`."""
    return type(backend).finish is not Backend.finish
