"""The adapter to TensorFlow, on the CPU: tf.GradientTape around a function of tensors."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")  # a start prints some twenty lines otherwise

import tensorflow as tf

from conformance.backend import Capability, Dialect, Function, FunctionalBackend, NDArray, as_tuple
from conformance.errors import Unsupported
from conformance.parameters import Lacking
from conformance_backends.structures import with_arrays
from conformance_backends.tensorflow.control_flow import TensorflowFlow
from conformance_backends.tensorflow.ops import OPS
from conformance_backends.tensorflow.points import DEPARTURES
from conformance_backends.tensorflow.script_words import IMPORTS
from conformance_backends.usual_points import declared_points


def as_offered(function: Function) -> Function:
    """The function; what TensorFlow says that it does not implement is not offered."""

    def offered(*operands: Any, **parameters: Any) -> Any:
        try:
            return function(*operands, **parameters)
        except tf.errors.UnimplementedError as error:
            raise Unsupported(f"TensorFlow: {error.message}") from error

    return offered


class Tensorflow(TensorflowFlow, FunctionalBackend):
    """TensorFlow as its users call it: a persistent GradientTape that watches the operands."""

    engine = "tensorflow"
    ops = OPS
    dtypes = ("float64", "float32")
    no_gradient: ClassVar[Mapping[str, frozenset[str]]] = {}
    lacks: ClassVar[Lacking] = {
        "argmax": {"keepdims": (True,), "axis": (None,)},
        "argmin": {"keepdims": (True,), "axis": (None,)},
        "avg_pool1d": {"ceil_mode": (True,)},
        "avg_pool2d": {"ceil_mode": (True,), "divisor_override": (3,)},
        "avg_pool3d": {"ceil_mode": (True,), "divisor_override": (3,)},
        "cholesky": {"upper": (True,)},
        "clip": {"max": (None,), "min": (None,)},
        "concat": {"axis": (None,)},
        "cumulative_prod": {"axis": (None,)},
        "cumulative_sum": {"axis": (None,)},
        "expand_dims": {"axis": (tuple,)},
        "flip": {"axis": (None,)},
        "logcumsumexp": {"axis": (None,)},
        "matrix_norm": {"ord": ("nuc", -1, -2, -np.inf)},
        "max_pool1d": {"ceil_mode": (True,), "dilation": (2, 3)},
        "max_pool2d": {"ceil_mode": (True,), "dilation": ((2, 1), (1, 2))},
        "max_pool3d": {"ceil_mode": (True,), "dilation": ((2, 1, 2), (1, 2, 1))},
        "normalize": {"p": (1.0, 1.7, 3.0)},
        "roll": {"axis": (None,)},
        "take": {"axis": (None,)},
        "vector_norm": {"axis": (tuple,), "ord": (-np.inf,)},
    }
    capabilities = frozenset(
        {
            Capability.RETAINING,
            Capability.DETACH,
            Capability.CUSTOM_RULE,
            Capability.SEVERAL_OUTPUTS,
            Capability.DEEP,
            Capability.HIGHER_ORDER,
            Capability.FORWARD,
            Capability.COMPILING,
            Capability.VECTORIZING,
            Capability.CHECKPOINTING,
            Capability.RANDOM_NUMBERS,
            Capability.DROPOUT,
            Capability.LOOPS,
            Capability.BRANCHES,
            Capability.INTERMEDIATES,
            Capability.STRUCTURES,
            Capability.JACOBIANS,
            Capability.COMPLEX,
        }
    )
    conventions: ClassVar[Mapping[str, str]] = {
        "A2": "summed",
        "A3": "seeded",
        "A5": "refused",
        "A13": "none",
        "A14": "none",
        "A18": "gradient",
        "B3": "functional",
        "B11": "10 000 nodes",
        "C4": "none",
        "C6": "calls",
        "C7": "eager",
        "C11": "reverse",
        "E16": "trap",
        "E16/sqrt": "safe",  # their rules take a cotangent of 0 for 0
        "E16/reciprocal": "safe",
        "E19": "none",
        "E19/sign": "zeros",
        "E19/heaviside": "zeros",  # of what is selected; of what is compared none
    }
    points = declared_points(OPS, DEPARTURES)
    dialect = Dialect(
        imports=IMPORTS,
        array="tf.constant(np.array({values}, '{dtype}'))",
        pullback="{out} = {function}({operands})\n{pullback} = lambda g: vjp({function}, [{operands}], g)",
        gradient="vjp({function}, [{operands}])",
        detach="tf.stop_gradient({value})",
        custom="@tf.custom_gradient\ndef {name}({operands}):\n    return {value}, lambda g: {cotangents}",
        further={
            "nested_vjp": "{out} = vjp({function}, [{operands}], [{cotangents}])",
            "jvp": "{out}, {pushed} = jvp({function}, [{operands}], [{tangents}])",
            "gradients_within": "gradients_within({function}, [{operands}], [{cotangents}])",
            "compiled": "tf.function({function})",
            "checkpoint": "tf.recompute_grad({function})",
            "dropout": "tf.nn.dropout({array}, {rate})",
            "noise": "tf.cast(tf.random.uniform(tf.shape({array})) < 0.5, {array}.dtype)",
            "scan": "scanned({step}, {carry}, {items})",
            "while_loop": "tf.while_loop({condition}, lambda s: [{step}(s)], [{carry}])[0]",
            "branch": "tf.cond({condition}, lambda: {then}({operands}), lambda: {otherwise}({operands}))",
        },
    )

    def version(self) -> str:
        """TensorFlow's version; its builds have distributions of several names."""
        return str(tf.__version__)

    def array(self, value: NDArray) -> Any:
        """tf.constant, which copies."""
        return tf.constant(value)

    def numpy(self, array: Any) -> NDArray:
        """The values; the gradient of a table that was looked up is a list of rows, which is made dense."""
        return np.asarray(tf.convert_to_tensor(array).numpy())

    def pullback(self, function: Function, arrays: Sequence[Any]) -> tuple[Any, Callable[..., Any]]:
        """A persistent tape, which gives gradients any number of times; one array at two places is two tensors."""
        operands = [tf.identity(x) for x in arrays]
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(operands)
            output = function(*operands)

        def pulled(cotangents: Any) -> tuple[Any, ...]:
            given = list(as_tuple(cotangents))
            return tuple(tape.gradient(list(as_tuple(output)), operands, output_gradients=given))

        return output, pulled

    def gradient(self, function: Function, operands: Sequence[NDArray]) -> tuple[Any, ...]:
        """tape.gradient, without output_gradients."""
        arrays = [self.array(x) for x in operands]
        with tf.GradientTape() as tape:
            tape.watch(arrays)
            output = function(*arrays)
        return tuple(tape.gradient(output, arrays))

    def op(self, name: str) -> Function:
        """The op; what TensorFlow says that it does not implement, such as broadcasts of six axes, is not offered."""
        return as_offered(super().op(name))

    def detach(self, array: Any) -> Any:
        """tf.stop_gradient."""
        return tf.stop_gradient(array)

    def custom(self, forward: Function, backward: Function) -> Function:
        """A function decorated with tf.custom_gradient; a cotangent that is a list of rows is made dense."""

        @tf.custom_gradient  # type: ignore[untyped-decorator]
        def ruled(*operands: Any) -> Any:
            return forward(*operands), lambda g: backward(tf.convert_to_tensor(g), *operands)

        return lambda *operands: ruled(*operands)

    def custom_by_operand(self, forward: Function, backward: Function) -> Function:
        """A function decorated with tf.custom_gradient, whose rule is called with a cotangent for each output."""

        @tf.custom_gradient  # type: ignore[untyped-decorator]
        def ruled(*operands: Any) -> Any:
            outputs = forward(*operands)

            def rule(*cotangents: Any) -> tuple[Any, ...]:
                given = tuple(map(tf.convert_to_tensor, cotangents))
                return tuple(backward(i, given, operands, as_tuple(outputs)) for i in range(len(operands)))

            return outputs, rule

        return lambda *operands: ruled(*operands)

    def nested_vjp(
        self, function: Function, arrays: Sequence[Any], cotangents: Sequence[Any]
    ) -> tuple[Any, ...]:
        """The gradient of an inner tape, which an outer one records.

        A tape knows a tensor by its identity: what the function captures of the outer one must be another tensor.
        """
        operands = [tf.identity(x) for x in arrays]
        with tf.GradientTape() as tape:
            tape.watch(operands)
            outputs = list(as_tuple(function(*operands)))
        return tuple(tape.gradient(outputs, operands, output_gradients=list(cotangents)))

    def gradients_within(
        self, function: Function, operands: Sequence[NDArray], cotangents: Sequence[NDArray]
    ) -> Sequence[Any]:
        """tape.gradient, whose sources may be any tensors that the tape has seen."""
        arrays = [self.array(x) for x in operands]
        with tf.GradientTape() as tape:
            tape.watch(arrays)
            outputs, sources = function(*arrays)
        given = [self.array(g) for g in cotangents]
        return tuple(tape.gradient(list(outputs), list(sources), output_gradients=given))

    def jvp(
        self, function: Function, operands: Sequence[NDArray], tangents: Sequence[NDArray]
    ) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
        """A ForwardAccumulator."""
        return self._pushed(function, [*map(self.array, operands)], [*map(self.array, tangents)])

    def nested_jvp(
        self, function: Function, arrays: Sequence[Any], tangents: Sequence[Any]
    ) -> tuple[Any, ...]:
        """A ForwardAccumulator inside of a tape or of another, which take zeros, but no None."""
        outputs, pushed = self._pushed(function, list(arrays), list(tangents))
        return tuple(tf.zeros_like(z) if t is None else t for z, t in zip(outputs, pushed, strict=True))

    def _pushed(
        self, function: Function, arrays: list[Any], tangents: list[Any]
    ) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
        with tf.autodiff.ForwardAccumulator(arrays, tangents) as accumulator:
            outputs = as_tuple(function(*arrays))
        return outputs, tuple(accumulator.jvp(z) for z in outputs)

    def compiled(self, function: Function) -> Function:
        """tf.function."""
        return as_offered(tf.function(function))

    def vectorized(self, function: Function) -> Function:
        """tf.vectorized_map, which maps functions of one structure."""
        return as_offered(lambda *operands: tf.vectorized_map(lambda examples: function(*examples), operands))

    def checkpoint(self, function: Function) -> Function:
        """tf.recompute_grad."""
        checkpointed: Function = tf.recompute_grad(function)
        return checkpointed

    def noise(self, like: Any) -> Any:
        """tf.random.uniform, below a half."""
        return tf.cast(tf.random.uniform(tf.shape(like)) < 0.5, like.dtype)

    def dropout(self, x: Any, rate: float) -> Any:
        """tf.nn.dropout."""
        return tf.nn.dropout(x, rate)

    def jacobian(self, function: Function, operands: Sequence[NDArray], kind: str = "rows") -> Sequence[Any]:
        """tape.jacobian, of the gradient for a Hessian; none is by columns."""
        if kind == "columns":
            raise Unsupported("tape.jacobian is by rows")
        arrays = [self.array(x) for x in operands]
        with tf.GradientTape() as tape:
            tape.watch(arrays)
            if kind == "hessian":
                with tf.GradientTape() as inner:
                    inner.watch(arrays)
                    output = function(*arrays)
                (output,) = inner.gradient(output, arrays)
            else:
                output = function(*arrays)
        found: Sequence[Any] = tape.jacobian(output, arrays)
        return found

    def structured_gradient(self, function: Function, structure: Any) -> Any:
        """tape.gradient, which takes nested structures as sources."""
        arrays = with_arrays(self.array, structure)
        with tf.GradientTape() as tape:
            tape.watch(arrays)
            output = function(arrays)
        return tape.gradient(output, arrays)
