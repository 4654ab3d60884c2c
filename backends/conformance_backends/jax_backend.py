"""The adapter to jax: called eagerly, or compiled.

Double precision is switched on for the whole process. Computing stays on the CPU, as with every other engine.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

import jax
import jax.numpy as jnp
import numpy as np

from conformance.backend import (
    Capability,
    Function,
    FunctionalBackend,
    NDArray,
    Trace,
    as_tuple,
)
from conformance_backends.caches import jax_compiled as kept
from conformance_backends.caches.jax_cache import keep_compiled
from conformance_backends.control_flow.of_jax import JaxFlow
from conformance_backends.dialects.of_jax import EAGER, JIT
from conformance_backends.further_modes.needs import platforms_of_jax
from conformance_backends.jacobians.of_jax import JaxJacobians
from conformance_backends.jax_ops import OPS
from conformance_backends.jax_points import DEPARTURES
from conformance_backends.jax_rules import JaxRules
from conformance_backends.jax_testers import TESTERS
from conformance_backends.structures import with_arrays
from conformance_backends.usual_points import declared_points

jax.config.update("jax_enable_x64", True)
jax.config.update(
    "jax_traceback_filtering", "off"
)  # else an error of JAX's seems to be raised in the adapter
jax.config.update("jax_platforms", platforms_of_jax())
# Each process would take three quarters of a GPU's memory at its start, and there is one for each worker.
os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")


class JaxEager(JaxJacobians, JaxFlow, JaxRules, FunctionalBackend):
    """jax op by op, as it runs outside jax.jit."""

    engine = "jax"
    mode = "eager"
    dtypes = ("float64", "float32", "float16", "bfloat16", "complex128", "complex64")
    ops = OPS
    points = declared_points(OPS, DEPARTURES)
    # Not ANOMALY: jax_debug_nans names the primitive of the backward pass, not the op of the forward pass.
    capabilities = frozenset(
        {
            Capability.RETAINING,
            Capability.DETACH,
            Capability.CUSTOM_RULE,
            Capability.SEVERAL_OUTPUTS,
            Capability.FORWARD_RULES,
            Capability.DEEP,
            Capability.HIGHER_ORDER,
            Capability.FORWARD,
            Capability.COMPILING,
            Capability.VECTORIZING,
            Capability.CHECKPOINTING,
            Capability.LOOPS,
            Capability.BRANCHES,
            Capability.VALUE_WITH_GRADIENT,
            Capability.STRUCTURES,
            Capability.JACOBIANS,
            Capability.COMPLEX,
        }
    )
    compiles_signatures = True
    conventions: ClassVar[Mapping[str, str]] = {
        "A2": "refused",
        "A3": "refused",
        "A4": "refused",
        "A5": "refused",
        "A13": "zeros",
        "A14": "zeros",
        "A16": "none",
        "A18": "conjugate",
        "B3": "functional",
        "B11": "10 000 nodes",
        "C4": "none",
        "C5": "refused",
        "C6": "replays",
        "C7": "eager",
        "C11": "refused",
        "D9": "winner",
        "E16": "trap",
        "E19": "zeros",
    }
    dialect = EAGER
    testers = TESTERS

    def version(self) -> str:
        """jax's version."""
        return str(jax.__version__)

    def array(self, value: NDArray) -> jax.Array:
        """A copy in memory of jax's own, which has only one layout."""
        return jnp.array(value)

    def numpy(self, array: Any) -> NDArray:
        """The values, once they are computed."""
        return np.asarray(array)

    def device(self) -> str:
        """Where arrays are computed: "cpu", or "gpu" where jax was installed for one and finds it."""
        return str(jax.default_backend())

    def finish(self, array: Any) -> None:
        """Wait for what was only dispatched."""
        jax.block_until_ready(array)

    def forget(self) -> None:
        """jax.clear_caches: a run compiles some ten thousand functions, of which few are called again."""
        for cached in kept.CACHED:
            cached.cache_clear()
        jax.clear_caches()

    def keep_compiled(self, folder: str) -> str:
        """jax's persistent compilation cache, of whatever takes time to compile; a user's own cache is used instead."""
        return keep_compiled(folder)

    def pullback(self, function: Function, arrays: Sequence[Any]) -> tuple[Any, Callable[..., Any]]:
        """jax.vjp."""
        return jax.vjp(function, *arrays)  # type: ignore[no-any-return]

    def gradient(self, function: Function, operands: Sequence[NDArray]) -> tuple[Any, ...]:
        """jax.grad of every operand."""
        return tuple(jax.grad(function, argnums=tuple(range(len(operands))))(*map(self.array, operands)))

    def detach(self, array: Any) -> Any:
        """jax.lax.stop_gradient."""
        return jax.lax.stop_gradient(array)

    def nested_vjp(
        self, function: Function, arrays: Sequence[Any], cotangents: Sequence[Any]
    ) -> tuple[Any, ...]:
        """jax.vjp, which nests."""
        output, pulled = jax.vjp(function, *arrays)
        return tuple(pulled(kept.like(output, cotangents)))

    def jvp(
        self, function: Function, operands: Sequence[NDArray], tangents: Sequence[NDArray]
    ) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
        """jax.jvp."""
        outputs, pushed = jax.jvp(function, [*map(self.array, operands)], [*map(self.array, tangents)])
        return as_tuple(outputs), as_tuple(pushed)

    def nested_jvp(
        self, function: Function, arrays: Sequence[Any], tangents: Sequence[Any]
    ) -> tuple[Any, ...]:
        """jax.jvp, which nests."""
        return as_tuple(jax.jvp(function, tuple(arrays), tuple(tangents))[1])

    def compiled(self, function: Function) -> Function:
        """jax.jit."""
        return kept.compiled(function)

    def vectorized(self, function: Function) -> Function:
        """jax.vmap."""
        mapped: Function = jax.vmap(function)
        return mapped

    def checkpoint(self, function: Function) -> Function:
        """jax.checkpoint."""
        recomputed: Function = jax.checkpoint(function)
        return recomputed

    def value_and_gradient(
        self,
        function: Function,
        arrays: Sequence[Any],
        wrt: int | tuple[int, ...],
        *,
        auxiliary: bool = False,
    ) -> tuple[Any, Any, Any]:
        """jax.value_and_grad, compiled where whole functions are."""
        step = jax.value_and_grad(function, argnums=wrt, has_aux=auxiliary)
        value, gradients = (jax.jit(step) if self.compiles_functions else step)(*arrays)
        return (value[0], gradients, value[1]) if auxiliary else (value, gradients, None)

    def structured_gradient(self, function: Function, structure: Any) -> Any:
        """jax.grad, which takes structures."""
        return jax.grad(function)(with_arrays(self.array, structure))


class JaxJit(JaxEager):
    """jax compiled: everything that computes goes through jax.jit.

    Compiled functions are cached by the function they were compiled from. All operands are arguments,
    also those that need no gradient, so that other values of the same shapes cause no compilation.
    """

    mode = "jit"
    compiles_functions = True
    capabilities = JaxEager.capabilities - {Capability.DEEP}
    conventions: ClassVar[Mapping[str, str]] = {**JaxEager.conventions, "C7": "refused"}
    dialect = JIT
    testers: ClassVar[Mapping[str, Any]] = {}  # its test is of functions, not of a mode

    def call(self, name: str, parameters: Mapping[str, Any]) -> Function:
        """The op compiled, also where it is called by itself."""
        return kept.compiled(super().call(name, parameters))

    def forward(self, function: Function, operands: Sequence[NDArray]) -> tuple[Any, ...]:
        """The compiled function."""
        return as_tuple(kept.compiled(function)(*map(self.array, operands)))

    def vjp(
        self,
        function: Function,
        operands: Sequence[NDArray],
        cotangents: Sequence[NDArray],
        wrt: Sequence[int] | None = None,
    ) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
        """Outputs and gradients out of one compiled call, as a training step computes them."""
        chosen = tuple(range(len(operands)) if wrt is None else wrt)
        arrays = tuple(self.array(x) for x in operands)
        output, gradients = kept.compiled_vjp(function, chosen)(
            arrays, tuple(self.array(g) for g in cotangents)
        )
        return as_tuple(output), tuple(gradients)

    def trace(
        self, function: Function, operands: Sequence[NDArray], wrt: Sequence[int] | None = None
    ) -> Trace:
        """The forward pass in one compiled call, the pullback in another."""
        chosen = tuple(range(len(operands)) if wrt is None else wrt)
        arrays = tuple(self.array(x) for x in operands)
        output, pulled = kept.compiled_pullback(function, chosen)(arrays)
        return Trace(arrays, as_tuple(output), lambda g: tuple(kept.pull(pulled, kept.like(output, g))))

    def pullback(self, function: Function, arrays: Sequence[Any]) -> tuple[Any, Callable[..., Any]]:
        """jax.vjp compiled; its pullback is data, and is called in a compiled function of its own."""
        output, pulled = kept.compiled_pullback(function, tuple(range(len(arrays))))(tuple(arrays))
        return output, lambda g: kept.pull(pulled, g)

    def gradient(self, function: Function, operands: Sequence[NDArray]) -> tuple[Any, ...]:
        """jax.grad of every operand, compiled."""
        return tuple(kept.compiled_gradient(function, len(operands))(*map(self.array, operands)))

    def jvp(
        self, function: Function, operands: Sequence[NDArray], tangents: Sequence[NDArray]
    ) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
        """jax.jvp, compiled."""
        primals, pushing = tuple(map(self.array, operands)), tuple(map(self.array, tangents))
        outputs, pushed = kept.compiled_jvp(function)(primals, pushing)
        return as_tuple(outputs), as_tuple(pushed)

    def structured_gradient(self, function: Function, structure: Any) -> Any:
        """jax.grad of a structure, compiled."""
        return jax.jit(jax.grad(function))(with_arrays(self.array, structure))

    def prepare_gradient(
        self, function: Function, operands: Sequence[NDArray]
    ) -> Callable[[], tuple[Any, ...]]:
        """A training step for timing: value and gradients out of one compiled call on arrays of jax's own."""
        arrays = tuple(map(self.array, operands))
        step = jax.jit(jax.value_and_grad(function, argnums=tuple(range(len(arrays)))))
        return lambda: tuple(step(*arrays)[1])

    def prepare_forward(
        self, function: Function, operands: Sequence[NDArray]
    ) -> Callable[[], tuple[Any, ...]]:
        """The compiled function on arrays of jax's own, for timing."""
        arrays = tuple(map(self.array, operands))
        return lambda: (kept.compiled(function)(*arrays),)
