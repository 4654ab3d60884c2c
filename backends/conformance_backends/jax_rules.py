"""Custom rules in jax: jax.custom_vjp."""

from __future__ import annotations

from typing import Any

import jax

from conformance.backend import Function, as_tuple


def custom(forward: Function, backward: Function) -> Function:
    """An op whose rule gets the operands."""
    return _ruled(
        forward, lambda *operands: (forward(*operands), operands), lambda operands, g: backward(g, *operands)
    )


def custom_by_operand(forward: Function, backward: Function) -> Function:
    """An op of one or several outputs, whose rule gets operands and outputs, for each operand by itself."""

    def computed(*operands: Any) -> Any:
        outputs = forward(*operands)
        return outputs, (operands, outputs)

    def rule(saved: Any, g: Any) -> Any:
        operands, outputs = saved
        given = as_tuple(g), operands, as_tuple(outputs)
        return tuple(backward(i, *given) for i in range(len(operands)))

    return _ruled(forward, computed, rule)


def _ruled(forward: Function, computed: Function, rule: Function) -> Function:
    ruled = jax.custom_vjp(lambda *operands: forward(*operands))
    ruled.defvjp(computed, rule)
    return lambda *operands: ruled(*operands)
