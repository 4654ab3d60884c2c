"""MLX with every function compiled: what computes goes through mx.compile."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, ClassVar

import mlx.core as mx

from conformance.backend import Capability, Dialect, Function, NDArray, as_tuple
from conformance_backends.mlx.backend import Mlx


class MlxCompiled(Mlx):
    """MLX compiled: the value in one function, the gradients in another, as a training step has them."""

    mode = "compile"
    compiles_signatures = True
    compiles_functions = True
    # A compiled function that does not capture the random state draws the same numbers at every call, as documented.
    capabilities = Mlx.capabilities - {Capability.DEEP, Capability.RANDOM_NUMBERS, Capability.DROPOUT}
    conventions: ClassVar[dict[str, str]] = {
        **{clause: choice for clause, choice in Mlx.conventions.items() if clause != "B11"},
        "C7": "refused",
    }
    dialect = Dialect(
        imports="import mlx.core as mx\nimport mlx.nn as nn\nimport numpy as np\n\nmx.set_default_device(mx.cpu)",
        array="mx.array(np.array({values}, np.{dtype}), dtype=mx.{dtype})",
        pullback="{out} = mx.compile({function})({operands})\n"
        "{pullback} = lambda g: mx.compile(lambda *xs: mx.vjp({function}, xs[:-1], xs[-1:])[1])({operands}, g)",
        gradient="mx.compile(mx.grad({function}, argnums={argnums}))({operands})",
        detach="mx.stop_gradient({value})",
        further={
            "value_and_gradient": "{value}, {gradients} = mx.compile(mx.value_and_grad({function}, {wrt}))({operands})",
            "value_and_auxiliary": "({value}, {auxiliary}), {gradients} = mx.compile(mx.value_and_grad({function}, {wrt}))({operands})",
        },
    )

    def forward(self, function: Function, operands: Sequence[NDArray]) -> tuple[Any, ...]:
        """The compiled function."""
        return as_tuple(_compiled(function)(*map(self.array, operands)))

    def pullback(self, function: Function, arrays: Sequence[Any]) -> tuple[Any, Callable[..., Any]]:
        """mx.vjp, compiled as a function of the operands and the cotangents."""
        operands = list(arrays)

        def pulled(cotangents: Any) -> tuple[Any, ...]:
            return tuple(_compiled_vjp(function, len(operands))(*operands, *as_tuple(cotangents)))

        return _compiled(function)(*operands), pulled

    def gradient(self, function: Function, operands: Sequence[NDArray]) -> tuple[Any, ...]:
        """mx.grad of every operand, compiled."""
        arrays = [self.array(x) for x in operands]
        return tuple(as_tuple(_compiled_gradient(function, len(arrays))(*arrays)))

    def value_and_gradient(
        self,
        function: Function,
        arrays: Sequence[Any],
        wrt: int | tuple[int, ...],
        *,
        auxiliary: bool = False,
    ) -> tuple[Any, Any, Any]:
        """mx.value_and_grad, compiled."""
        value, gradients = mx.compile(mx.value_and_grad(function, wrt))(*arrays)
        gradients = gradients if isinstance(wrt, int) else as_tuple(gradients)
        return (value[0], gradients, value[1]) if auxiliary else (value, gradients, None)

    def forget(self) -> None:
        """Compiled functions."""
        for kept in (_compiled, _compiled_vjp, _compiled_gradient):
            kept.cache_clear()


@lru_cache(maxsize=256)
def _compiled(function: Function) -> Function:
    compiled: Function = mx.compile(function)
    return compiled


@lru_cache(maxsize=256)
def _compiled_vjp(function: Function, count: int) -> Function:
    compiled: Function = mx.compile(lambda *xs: mx.vjp(function, list(xs[:count]), list(xs[count:]))[1])
    return compiled


@lru_cache(maxsize=256)
def _compiled_gradient(function: Function, count: int) -> Function:
    compiled: Function = mx.compile(mx.grad(function, argnums=list(range(count))))
    return compiled
