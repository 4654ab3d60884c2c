"""TensorFlow compiled: what computes goes through tf.function, the tape inside of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, ClassVar

import tensorflow as tf

from conformance.backend import Capability, Dialect, Function, NDArray, as_tuple
from conformance_backends.tensorflow.backend import Tensorflow, as_offered
from conformance_backends.tensorflow.script_words import IMPORTS


class TensorflowFunction(Tensorflow):
    """TensorFlow as a training step is written: the tape and its gradient in one tf.function."""

    mode = "function"
    compiles_signatures = True
    compiles_functions = True
    capabilities = Tensorflow.capabilities - {Capability.DEEP, Capability.INTERMEDIATES}
    conventions: ClassVar[dict[str, str]] = {
        **{clause: choice for clause, choice in Tensorflow.conventions.items() if clause != "B11"},
    }
    dialect = Dialect(
        imports=IMPORTS,
        array="tf.constant(np.array({values}, '{dtype}'))",
        pullback="{out} = tf.function({function})({operands})\n"
        "{pullback} = lambda g: tf.function(lambda g: vjp({function}, [{operands}], g))(g)",
        gradient="tf.function(lambda *xs: vjp({function}, xs))({operands})",
        detach="tf.stop_gradient({value})",
        further={name: Tensorflow.dialect.further[name] for name in ("scan", "while_loop", "branch")},
    )

    def forward(self, function: Function, operands: Sequence[NDArray]) -> tuple[Any, ...]:
        """The compiled function."""
        return as_tuple(_compiled(function)(*map(self.array, operands)))

    def pullback(self, function: Function, arrays: Sequence[Any]) -> tuple[Any, Callable[..., Any]]:
        """The function compiled, and its gradients compiled as a function of operands and cotangents."""
        operands = list(arrays)

        def pulled(cotangents: Any) -> tuple[Any, ...]:
            return tuple(_compiled_vjp(function, len(operands))(*operands, *as_tuple(cotangents)))

        return _compiled(function)(*operands), pulled

    def gradient(self, function: Function, operands: Sequence[NDArray]) -> tuple[Any, ...]:
        """tape.gradient, without output_gradients, compiled."""
        arrays = [self.array(x) for x in operands]
        return tuple(_compiled_vjp(function, len(arrays))(*arrays))

    def forget(self) -> None:
        """Compiled functions."""
        for kept in (_compiled, _compiled_vjp):
            kept.cache_clear()


@lru_cache(maxsize=256)
def _compiled(function: Function) -> Function:
    return as_offered(tf.function(function))


@lru_cache(maxsize=256)
def _compiled_vjp(function: Function, count: int) -> Function:
    def gradients(*given: Any) -> Any:
        arrays, cotangents = list(given[:count]), list(given[count:])
        with tf.GradientTape() as tape:
            tape.watch(arrays)
            outputs = function(*arrays)
        if not cotangents:
            return tape.gradient(outputs, arrays)
        return tape.gradient(list(as_tuple(outputs)), arrays, output_gradients=cotangents)

    return as_offered(tf.function(gradients))
