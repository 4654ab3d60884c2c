"""The adapter to tinygrad, on the CPU: a tape whose arrays are computed when they are read."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import version
from typing import Any, ClassVar

from tinygrad import Context, Tensor

from conformance.backend import Capability, Dialect, NDArray, TapeBackend
from conformance_backends.tinygrad.ops import OPS


class Tinygrad(TapeBackend):
    """tinygrad as its users call it: Tensor, backward() and .grad.

    A backward pass stores a gradient in every tensor of real numbers on the way: there is no flag that a tensor needs
    one. A Tensor of a 0-d NumPy array is a literal of the graph, which has no gradient; its clone is an array.
    """

    engine = "tinygrad"
    ops = OPS
    dtypes = ("float64", "float32", "float16")
    compiles_signatures = True
    capabilities = frozenset(
        {
            Capability.TAPE,
            Capability.CLEARING,
            Capability.RETAINING,
            Capability.DETACH,
            Capability.RECORDED_WRITES,
            Capability.RANDOM_NUMBERS,
            Capability.DROPOUT,
        }
    )
    conventions: ClassVar[Mapping[str, str]] = {
        "A2": "refused",
        "A3": "refused",
        "A4": "refused",
        "A5": "cast",
        "A13": "none",
        "A16": "none",
        "B3": "accumulates",
        "B4": "updated",
        "B8": "kept",
        "C4": "stored",
        "C7": "refused",
        "D5": "renewed",
        "D11": "recorded",
        "E16": "trap",
        "E19": "zeros",
    }
    dialect = Dialect(
        imports="import numpy as np\nfrom tinygrad import Context, Tensor",
        array="Tensor(np.array({values}, np.{dtype}))",
        leaf="{array}.clone()",
        backward="{output}.backward()",
        backward_with="{output}.backward({cotangent})",
        grad="{leaf}.grad",
        clear="{leaf}.grad = None",
        detach="{value}.detach()",
        show="print({value}.numpy())",
        further={
            "assign": "{array}[{index}] = {value}",
            "dropout": "Context(TRAINING=1)(lambda: {array}.dropout({rate}))()",
            "noise": "(Tensor.rand({array}.shape) < 0.5).cast({array}.dtype)",
        },
    )

    def version(self) -> str:
        """tinygrad's version."""
        return version("tinygrad")

    def array(self, value: NDArray) -> Tensor:
        """A tensor of a copy of these values, which are read only when it is computed."""
        return Tensor(value.copy())

    def leaf(self, value: NDArray) -> Tensor:
        """A tensor with memory of its own, 0-d ones too."""
        return self.array(value).clone()

    def numpy(self, array: Any) -> NDArray:
        """The values, which computes them."""
        values: NDArray = array.numpy()
        return values

    def finish(self, array: Any) -> None:
        """The values; Tensor.realize would cut the history of a tensor on the way."""
        array.numpy()

    def backward(self, output: Any, gradient: Any = None, *, retain: bool = False) -> None:
        """Tensor.backward(), which frees nothing."""
        output.backward(gradient)

    def grad(self, leaf: Any) -> Any:
        """Tensor.grad."""
        return leaf.grad

    def clear(self, leaf: Any) -> None:
        """None in place of the gradient."""
        leaf.grad = None

    def detach(self, array: Any) -> Any:
        """Tensor.detach."""
        return array.detach()

    def noise(self, like: Any) -> Any:
        """Tensor.rand, below a half."""
        return (Tensor.rand(like.shape) < 0.5).cast(like.dtype)

    def dropout(self, x: Any, rate: float) -> Any:
        """Tensor.dropout, while it trains."""
        with Context(TRAINING=1):
            return x.dropout(rate)

    def assign(self, array: Any, index: Any, value: Any) -> None:
        """`array[index] = value`."""
        array[index] = value
