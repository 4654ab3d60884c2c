"""Adapters whose engine takes no gradient argument: a backward pass of the sum of the output times it, which is made of ops.

A no_grad scope does not record these ops, and so a backward pass with a gradient argument is refused in it, by the engine
for what the adapter does. What a scope outlasts, and what a history makes of one, is asked all the same.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from conformance.backend import Backend, TapeBackend
from conformance.case import Array
from conformance.checks.engine_calls import full_sum, unless_refused
from conformance.ops.names import MULTIPLY
from conformance.trace import aside


def composes_cotangents(engine: Backend, dtype: str) -> bool:
    """Whether a backward pass in a no_grad scope is refused with a gradient argument, and runs without one."""
    if not isinstance(engine, TapeBackend):
        return False
    with aside():
        return not _runs(engine, dtype, is_given=True) and _runs(engine, dtype, is_given=False)


def backward_for_scopes(engine: Backend, x: Array, g: Array) -> Callable[[], Any]:
    """A backward pass of x², recorded already, that can be made in a no_grad scope."""
    multiply = engine.op(MULTIPLY)
    if isinstance(engine, TapeBackend) and composes_cotangents(engine, x.dtype.name):
        tape, leaf = engine, engine.leaf(np.array(x))
        total = full_sum(tape)(multiply(leaf, leaf))
        return lambda: tape.backward(total)
    traced = engine.trace(lambda a: multiply(a, a), [np.array(x)])
    return lambda: traced.pull([engine.array(np.array(g))])


def _runs(tape: TapeBackend, dtype: str, *, is_given: bool) -> bool:
    """Whether a backward pass runs in a no_grad scope, and arrives."""
    x = np.array([2.0, 3.0], dtype)
    leaf = tape.leaf(np.array(x))
    product = tape.op(MULTIPLY)(leaf, leaf)
    output = product if is_given else full_sum(tape)(product)

    def backward() -> bool:
        with tape.no_grad():
            tape.backward(output, tape.array(np.ones_like(x)) if is_given else None)
        gradient = tape.grad(leaf)
        return gradient is not None and np.array_equal(tape.numpy(gradient), 2 * x)

    return unless_refused(backward) is True
