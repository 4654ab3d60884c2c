"""The adapter to MLX, on the CPU: functions are transformed, and arrays computed when they are read."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import version
from typing import Any, ClassVar

import mlx.core as mx
import mlx.nn as nn
import numpy as np

from conformance.backend import Capability, Dialect, Function, FunctionalBackend, NDArray, as_tuple
from conformance.parameters import Lacking
from conformance_backends.mlx.ops import OPS
from conformance_backends.structures import with_arrays

mx.set_default_device(mx.cpu)  # the only device that has float64


class Mlx(FunctionalBackend):
    """MLX as its users call it: mx.vjp and mx.grad of functions."""

    engine = "mlx"
    ops = OPS
    dtypes = ("float64", "float32", "float16")
    no_gradient: ClassVar[Mapping[str, frozenset[str]]] = {
        "*": frozenset(
            {"cholesky", "det", "eigvalsh", "inv", "pinv", "slogdet", "solve", "solve_triangular", "svdvals"}
        )
    }
    lacks: ClassVar[Lacking] = {
        "avg_pool1d": {"ceil_mode": (True,)},
        "avg_pool2d": {"ceil_mode": (True,), "divisor_override": (3,)},
        "avg_pool3d": {"ceil_mode": (True,), "divisor_override": (3,)},
        "batch_norm": {"eps": (0.0,)},
        "instance_norm": {"eps": (0.0,)},
        "matrix_norm": {"ord": (2, -2, "nuc")},  # made of singular values, which have no gradient
        "max_pool1d": {"ceil_mode": (True,), "dilation": (2, 3)},
        "max_pool2d": {"ceil_mode": (True,), "dilation": ((2, 1), (1, 2))},
        "max_pool3d": {"ceil_mode": (True,), "dilation": ((2, 1, 2), (1, 2, 1))},
        "moveaxis": {"source": (tuple,)},
        "repeat": {"repeats": (list,)},
        "standardize": {"axis": ((-2, -1), (-3, -2, -1))},
        "std": {"correction": (float,)},
        "triplet_margin": {"eps": (1e-06,)},  # MLX adds it within the root
        "var": {"correction": (float,)},
        "vector_norm": {"axis": (tuple,)},
    }
    capabilities = frozenset(
        {
            Capability.RETAINING,
            Capability.DETACH,
            Capability.CUSTOM_RULE,
            Capability.SEVERAL_OUTPUTS,
            Capability.FORWARD_RULES,
            Capability.RECORDED_WRITES,
            Capability.DEEP,
            Capability.HIGHER_ORDER,
            Capability.FORWARD,
            Capability.COMPILING,
            Capability.VECTORIZING,
            Capability.CHECKPOINTING,
            Capability.RANDOM_NUMBERS,
            Capability.DROPOUT,
            Capability.VALUE_WITH_GRADIENT,
            Capability.STRUCTURES,
        }
    )
    conventions: ClassVar[Mapping[str, str]] = {
        "A2": "refused",
        "A3": "refused",
        "A4": "refused",
        "A5": "cast",
        "A13": "zeros",
        "A14": "zeros",
        "B3": "functional",
        "B11": "100 000 nodes",
        "C4": "none",
        "C6": "calls",
        "C7": "eager",
        "D5": "recorded",
        "D6": "copies",
        "D9": "each",
        "D11": "recorded",
        "E16": "trap",
        "E19": "zeros",
    }
    dialect = Dialect(
        imports="import mlx.core as mx\nimport mlx.nn as nn\nimport numpy as np\n\nmx.set_default_device(mx.cpu)",
        array="mx.array(np.array({values}, np.{dtype}), dtype=mx.{dtype})",
        pullback="{out} = {function}({operands})\n{pullback} = lambda g: mx.vjp({function}, [{operands}], [g])[1]",
        gradient="mx.grad({function}, argnums={argnums})({operands})",
        detach="mx.stop_gradient({value})",
        further={
            "nested_vjp": "{out} = tuple(mx.vjp({function}, [{operands}], [{cotangents}])[1])",
            "jvp": "{out}, {pushed} = mx.jvp({function}, [{operands}], [{tangents}])",
            "compiled": "mx.compile({function})",
            "vectorized": "mx.vmap({function})",
            "checkpoint": "mx.checkpoint({function})",
            "dropout": "nn.Dropout({rate})({array})",
            "noise": "mx.random.bernoulli(0.5, {array}.shape).astype({array}.dtype)",
            "value_and_gradient": "{value}, {gradients} = mx.value_and_grad({function}, {wrt})({operands})",
            "value_and_auxiliary": "({value}, {auxiliary}), {gradients} = mx.value_and_grad({function}, {wrt})({operands})",
            "structured_gradient": "mx.grad({function})({structure})",
            "assign": "{array}[{index}] = {value}",
        },
    )

    def version(self) -> str:
        """MLX's version."""
        return version("mlx")

    def array(self, value: NDArray) -> Any:
        """A copy in memory of MLX's own, which reads no negative strides; without `dtype`, float64 would be cast."""
        name = "bool_" if value.dtype == bool else value.dtype.name
        return mx.array(np.array(value, order="C"), dtype=getattr(mx, name))

    def numpy(self, array: Any) -> NDArray:
        """The values, which computes them."""
        return np.array(array)

    def finish(self, array: Any) -> None:
        """mx.eval."""
        mx.eval(array)

    def pullback(self, function: Function, arrays: Sequence[Any]) -> tuple[Any, Callable[..., Any]]:
        """mx.vjp, which takes the cotangents at once: so the function is called again for each."""

        def pulled(cotangents: Any) -> tuple[Any, ...]:
            _, gradients = mx.vjp(function, list(arrays), list(as_tuple(cotangents)))
            return tuple(gradients)

        return function(*arrays), pulled

    def gradient(self, function: Function, operands: Sequence[NDArray]) -> tuple[Any, ...]:
        """mx.grad of every operand."""
        arrays = [self.array(x) for x in operands]
        return tuple(as_tuple(mx.grad(function, argnums=list(range(len(arrays))))(*arrays)))

    def detach(self, array: Any) -> Any:
        """mx.stop_gradient."""
        return mx.stop_gradient(array)

    def custom(self, forward: Function, backward: Function) -> Function:
        """An mx.custom_function with its vjp."""
        ruled = mx.custom_function(lambda *operands: forward(*operands))

        @ruled.vjp  # type: ignore[untyped-decorator]
        def rule(primals: Any, cotangent: Any, output: Any) -> Any:
            return backward(cotangent, *as_tuple(primals))

        return lambda *operands: ruled(*operands)

    def custom_by_operand(self, forward: Function, backward: Function) -> Function:
        """An mx.custom_function, whose vjp is given operands, cotangents and outputs, and answers for all operands."""
        ruled = mx.custom_function(lambda *operands: forward(*operands))

        @ruled.vjp  # type: ignore[untyped-decorator]
        def rule(primals: Any, cotangents: Any, outputs: Any) -> Any:
            operands, given, made = as_tuple(primals), as_tuple(cotangents), as_tuple(outputs)
            return tuple(backward(i, given, operands, made) for i in range(len(operands)))

        return lambda *operands: ruled(*operands)

    def custom_forward(self, forward: Function, pushforward: Function) -> Function:
        """An mx.custom_function with its jvp, which is given None for a constant."""
        ruled = mx.custom_function(lambda *operands: forward(*operands))

        @ruled.jvp  # type: ignore[untyped-decorator]
        def push(primals: Any, tangents: Any) -> Any:
            operands = as_tuple(primals)
            given = zip(operands, as_tuple(tangents), strict=True)
            return pushforward(operands, tuple(mx.zeros_like(x) if t is None else t for x, t in given))

        return lambda *operands: ruled(*operands)

    def assign(self, array: Any, index: Any, value: Any) -> None:
        """`array[index] = value`."""
        array[index] = value

    def nested_vjp(
        self, function: Function, arrays: Sequence[Any], cotangents: Sequence[Any]
    ) -> tuple[Any, ...]:
        """mx.vjp, which nests."""
        return tuple(mx.vjp(function, list(arrays), list(cotangents))[1])

    def jvp(
        self, function: Function, operands: Sequence[NDArray], tangents: Sequence[NDArray]
    ) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
        """mx.jvp."""
        outputs, pushed = mx.jvp(function, [*map(self.array, operands)], [*map(self.array, tangents)])
        return tuple(outputs), tuple(pushed)

    def nested_jvp(
        self, function: Function, arrays: Sequence[Any], tangents: Sequence[Any]
    ) -> tuple[Any, ...]:
        """mx.jvp, which nests."""
        return tuple(mx.jvp(function, list(arrays), list(tangents))[1])

    def compiled(self, function: Function) -> Function:
        """mx.compile."""
        compiled: Function = mx.compile(function)
        return compiled

    def vectorized(self, function: Function) -> Function:
        """mx.vmap."""
        mapped: Function = mx.vmap(function)
        return mapped

    def checkpoint(self, function: Function) -> Function:
        """mx.checkpoint."""
        checkpointed: Function = mx.checkpoint(function)
        return checkpointed

    def noise(self, like: Any) -> Any:
        """mx.random.bernoulli."""
        return mx.random.bernoulli(0.5, like.shape).astype(like.dtype)

    def dropout(self, x: Any, rate: float) -> Any:
        """mlx.nn.Dropout."""
        return nn.Dropout(rate)(x)

    def value_and_gradient(
        self,
        function: Function,
        arrays: Sequence[Any],
        wrt: int | tuple[int, ...],
        *,
        auxiliary: bool = False,
    ) -> tuple[Any, Any, Any]:
        """mx.value_and_grad, of the first result if there are several; a list of one position is that position."""
        value, gradients = mx.value_and_grad(function, wrt)(*arrays)
        gradients = gradients if isinstance(wrt, int) else as_tuple(gradients)
        return (value[0], gradients, value[1]) if auxiliary else (value, gradients, None)

    def structured_gradient(self, function: Function, structure: Any) -> Any:
        """mx.grad, which takes structures as they are."""
        return mx.grad(function)(with_arrays(self.array, structure))
