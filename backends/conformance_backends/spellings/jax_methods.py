"""jax's other functions for what the protocol's methods ask: linearize and its transpose, switch, reversed scans.

What stands outside of classes is read as source for scripts too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import jax
import jax.numpy as jnp

from conformance.backend import Capability, Function, NDArray, as_tuple

RESPELLED = frozenset(
    {
        Capability.CUSTOM_RULE,
        Capability.HIGHER_ORDER,
        Capability.FORWARD,
        Capability.VECTORIZING,
        Capability.CHECKPOINTING,
        Capability.LOOPS,
        Capability.BRANCHES,
    }
)


def linearized(function: Any, arrays: Any, tangents: Any) -> Any:
    """jax.linearize: the outputs, and what its linear function makes of the tangents."""
    outputs, push = jax.linearize(function, *arrays)
    return outputs, push(*tangents)


def transposed(function: Any, *arrays: Any) -> Any:
    """The outputs, and the pullback that is the transpose of what jax.linearize returns."""
    outputs, push = jax.linearize(function, *arrays)
    return outputs, jax.linear_transpose(push, *arrays)


def vmap_of_last(function: Any) -> Any:
    """jax.vmap along the last axis of operands and outputs, which are the first ones outside."""
    mapped = jax.vmap(function, in_axes=-1, out_axes=-1)

    def of_first(*operands: Any) -> Any:
        outputs = mapped(*(jnp.moveaxis(x, 0, -1) for x in operands))
        return jax.tree.map(lambda z: jnp.moveaxis(z, -1, 0), outputs)

    return of_first


def scan_from_the_end(step: Any, carry: Any, items: Any) -> Any:
    """jax.lax.scan with reverse and unroll, of the items in reverse."""
    carry, outputs = jax.lax.scan(step, carry, items[::-1], reverse=True, unroll=2)
    return carry, jax.tree.map(lambda z: z[::-1], outputs)


def ruled(function: Any) -> Any:
    """jax.custom_gradient, whose function takes operands by position."""
    made = jax.custom_gradient(function)
    return lambda *operands: made(*operands)


class JaxMethods:
    """The methods of the protocol, by other functions than those of `jax_backend`."""

    array: Callable[[NDArray], jax.Array]

    def custom(self, forward: Function, backward: Function) -> Function:
        """jax.custom_gradient, whose rule captures the operands."""
        made: Function = ruled(lambda *xs: (forward(*xs), lambda g: backward(g, *xs)))
        return made

    def nested_vjp(
        self, function: Function, arrays: Sequence[Any], cotangents: Sequence[Any]
    ) -> tuple[Any, ...]:
        """jax.linear_transpose of what jax.linearize returns."""
        output, pull = transposed(function, *arrays)
        return tuple(pull(tuple(cotangents) if isinstance(output, tuple) else cotangents[0]))

    def jvp(
        self, function: Function, operands: Sequence[NDArray], tangents: Sequence[NDArray]
    ) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
        """jax.linearize."""
        outputs, pushed = linearized(function, [*map(self.array, operands)], [*map(self.array, tangents)])
        return as_tuple(outputs), as_tuple(pushed)

    def nested_jvp(
        self, function: Function, arrays: Sequence[Any], tangents: Sequence[Any]
    ) -> tuple[Any, ...]:
        """jax.linearize, which nests."""
        return as_tuple(linearized(function, arrays, tangents)[1])

    def vectorized(self, function: Function) -> Function:
        """jax.vmap along the last axis."""
        mapped: Function = vmap_of_last(function)
        return mapped

    def checkpoint(self, function: Function) -> Function:
        """jax.checkpoint that keeps products of matrices, and computes the rest again."""
        policy = jax.checkpoint_policies.dots_saveable
        recomputed: Function = jax.checkpoint(function, policy=policy, prevent_cse=False)
        return recomputed

    def scan(self, step: Function, carry: Any, items: Any) -> tuple[Any, Any]:
        """jax.lax.scan from the end, two steps at a time."""
        result: tuple[Any, Any] = scan_from_the_end(step, carry, items)
        return result

    def branch(self, condition: Any, then: Function, otherwise: Function, operands: Sequence[Any]) -> Any:
        """jax.lax.switch by a number."""
        return jax.lax.switch(jnp.where(condition, 2, 0), (otherwise, otherwise, then), *operands)


WORDS: Mapping[str, str] = {
    "nested_vjp": "{out} = transposed({function}, {operands})[1]({cotangent})",
    "jvp": "{out}, {pushed} = linearized({function}, [{operands}], [{tangents}])",
    "vectorized": "vmap_of_last({function})",
    "checkpoint": "jax.checkpoint({function}, policy=jax.checkpoint_policies.dots_saveable, prevent_cse=False)",
    "scan": "scan_from_the_end({step}, {carry}, {items})",
    "branch": "jax.lax.switch(jnp.where({condition}, 2, 0), ({otherwise}, {otherwise}, {then}), {operands})",
}
CUSTOM_RULE = """\
@jax.custom_gradient
def {name}({operands}):
    return {value}, lambda g: {cotangents}"""
