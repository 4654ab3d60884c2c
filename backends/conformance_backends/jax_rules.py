"""Custom rules in jax: jax.custom_vjp, jax.custom_jvp."""

from __future__ import annotations

from typing import Any

import jax

from conformance.backend import Function, as_tuple


class JaxRules:
    """The methods of the protocol for custom rules; what a rule returns reaches jax unchanged."""

    def custom(self, forward: Function, backward: Function) -> Function:
        """A jax.custom_vjp whose residuals are the operands."""
        return _ruled(
            forward,
            lambda *operands: (forward(*operands), operands),
            lambda operands, g: backward(g, *operands),
        )

    def custom_by_operand(self, forward: Function, backward: Function) -> Function:
        """A jax.custom_vjp, whose residuals are operands and outputs; it gives the cotangents of all operands."""

        def computed(*operands: Any) -> Any:
            outputs = forward(*operands)
            return outputs, (operands, outputs)

        def rule(saved: Any, g: Any) -> Any:
            operands, outputs = saved
            given = as_tuple(g), operands, as_tuple(outputs)
            return tuple(backward(i, *given) for i in range(len(operands)))

        return _ruled(forward, computed, rule)

    def custom_forward(self, forward: Function, pushforward: Function) -> Function:
        """A jax.custom_jvp, whose reverse mode is the transpose of its rule."""
        ruled = jax.custom_jvp(lambda *operands: forward(*operands))
        ruled.defjvp(lambda operands, tangents: (forward(*operands), pushforward(operands, tangents)))
        return lambda *operands: ruled(*operands)


def _ruled(forward: Function, computed: Function, rule: Function) -> Function:
    ruled = jax.custom_vjp(lambda *operands: forward(*operands))
    ruled.defvjp(computed, rule)
    return lambda *operands: ruled(*operands)
