"""Loops and branches by jax's own functions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax

from conformance.backend import Function


class JaxFlow:
    """jax.lax.scan, jax.lax.while_loop and jax.lax.cond."""

    def scan(self, step: Function, carry: Any, items: Any) -> tuple[Any, Any]:
        """jax.lax.scan."""
        result: tuple[Any, Any] = jax.lax.scan(step, carry, items)
        return result

    def while_loop(self, condition: Function, step: Function, carry: Any) -> Any:
        """jax.lax.while_loop."""
        return jax.lax.while_loop(condition, step, carry)

    def branch(self, condition: Any, then: Function, otherwise: Function, operands: Sequence[Any]) -> Any:
        """jax.lax.cond."""
        return jax.lax.cond(condition, then, otherwise, *operands)
