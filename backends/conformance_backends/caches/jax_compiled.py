"""What jax.jit made of functions, kept by the function it was made of."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import jax

from conformance.backend import Function, restricted


def like(output: Any, cotangents: Sequence[Any]) -> Any:
    """The cotangents in the structure of the output they belong to."""
    return type(output)(cotangents) if isinstance(output, (tuple, list)) else cotangents[0]


@lru_cache(maxsize=1024)
def compiled(function: Function) -> Function:
    """The function."""
    made: Function = jax.jit(function)
    return made


@lru_cache(maxsize=1024)
def compiled_vjp(function: Function, chosen: tuple[int, ...]) -> Function:
    """Its outputs and gradients."""

    def outputs_and_gradients(arrays: Sequence[Any], cotangents: Sequence[Any]) -> Any:
        output, pulled = jax.vjp(restricted(function, arrays, chosen), *(arrays[i] for i in chosen))
        return output, pulled(like(output, cotangents))

    made: Function = jax.jit(outputs_and_gradients)
    return made


@lru_cache(maxsize=1024)
def compiled_pullback(function: Function, chosen: tuple[int, ...]) -> Function:
    """Its outputs and its pullback, which is data."""

    def output_and_pullback(arrays: Sequence[Any]) -> Any:
        return jax.vjp(restricted(function, arrays, chosen), *(arrays[i] for i in chosen))

    made: Function = jax.jit(output_and_pullback)
    return made


@lru_cache(maxsize=1024)
def compiled_jvp(function: Function) -> Function:
    """Its outputs and tangents."""
    made: Function = jax.jit(lambda primals, tangents: jax.jvp(function, primals, tangents))
    return made


@lru_cache(maxsize=1024)
def compiled_gradient(function: Function, count: int) -> Function:
    """The gradient of so many operands."""
    made: Function = jax.jit(jax.grad(function, argnums=tuple(range(count))))
    return made


pull: Function = jax.jit(lambda pulled, cotangents: pulled(cotangents))
CACHED = (compiled, compiled_vjp, compiled_pullback, compiled_jvp, compiled_gradient)
