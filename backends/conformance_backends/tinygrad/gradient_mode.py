"""tinygrad without .grad: Tensor.gradient of the tensors that are named."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from tinygrad import Tensor

from conformance.backend import Capability, Dialect, Function, FunctionalBackend, NDArray, as_tuple
from conformance.errors import Unsupported
from conformance_backends.tinygrad.backend import Tinygrad


class TinygradGradient(FunctionalBackend):
    """tinygrad by Tensor.gradient(*targets, gradient=...), which returns gradients and stores none."""

    engine = "tinygrad"
    mode = "gradient"
    ops = Tinygrad.ops
    dtypes = Tinygrad.dtypes
    compiles_signatures = True
    capabilities = frozenset(
        {Capability.RETAINING, Capability.DETACH, Capability.HIGHER_ORDER, Capability.INTERMEDIATES}
    )
    conventions: ClassVar[dict[str, str]] = {
        "A2": "refused",
        "A3": "refused",
        "A4": "refused",
        "A5": "cast",
        "A13": "zeros",
        "A14": "zeros",
        "A16": "refused",
        "B3": "functional",
        "C4": "none",
        "C7": "refused",
        "E16": "trap",
        "E19": "zeros",
    }
    dialect = Dialect(
        imports="import numpy as np\nfrom tinygrad import Tensor",
        array="Tensor(np.array({values}, np.{dtype})).clone()",
        pullback="{out} = ({function})({operands})\n{pullback} = lambda g: {out}.gradient({operands}, gradient=g)",
        gradient="({function})({operands}).gradient({operands})",
        detach="{value}.detach()",
        show="print({value}.numpy())",
        further={"gradients_within": "gradients_within({function}, [{operands}], [{cotangents}])"},
    )

    def version(self) -> str:
        """tinygrad's version."""
        return Tinygrad().version()

    def array(self, value: NDArray) -> Tensor:
        """A tensor with memory of its own, 0-d ones too: a literal of the graph has no gradient."""
        return Tensor(value).clone()

    def numpy(self, array: Any) -> NDArray:
        """The values, which computes them."""
        values: NDArray = array.numpy()
        return values

    def finish(self, array: Any) -> None:
        """The values; Tensor.realize would cut the history of a tensor on the way."""
        array.numpy()

    def pullback(self, function: Function, arrays: Sequence[Any]) -> tuple[Any, Callable[..., Any]]:
        """Tensor.gradient with the cotangent as `gradient`."""
        output = function(*arrays)

        def pulled(cotangents: Any) -> tuple[Any, ...]:
            return self._gradients(output, arrays, as_tuple(cotangents))

        return output, pulled

    def gradient(self, function: Function, operands: Sequence[NDArray]) -> tuple[Any, ...]:
        """Tensor.gradient of a scalar."""
        arrays = [self.array(x) for x in operands]
        return tuple(function(*arrays).gradient(*arrays))

    def nested_vjp(
        self, function: Function, arrays: Sequence[Any], cotangents: Sequence[Any]
    ) -> tuple[Any, ...]:
        """Gradients are tensors with a history of their own, by copies, since the function may capture a tensor."""
        copies = [_copy(x, number) for number, x in enumerate(arrays, start=1)]
        return self._gradients(function(*copies), copies, cotangents)

    def gradients_within(
        self, function: Function, operands: Sequence[NDArray], cotangents: Sequence[NDArray]
    ) -> Sequence[Any]:
        """Tensor.gradient by any tensors; of one output."""
        if len(cotangents) > 1:
            raise Unsupported("Tensor.gradient is of one tensor")
        given = [*map(self.array, operands)], [*map(self.array, cotangents)]
        found: Sequence[Any] = gradients_within(function, *given)
        return found

    def _gradients(self, output: Any, arrays: Sequence[Any], cotangents: Sequence[Any]) -> tuple[Any, ...]:
        (only, *further), (cotangent, *_) = as_tuple(output), cotangents
        if further:
            raise Unsupported("Tensor.gradient is of one tensor")
        return tuple(only.gradient(*arrays, gradient=cotangent))

    def detach(self, array: Any) -> Any:
        """Tensor.detach."""
        return array.detach()


def gradients_within(function: Any, arrays: Any, cotangents: Any) -> Any:
    """Tensor.gradient of the one output, by any tensors that a function returns beside it."""
    (output,), targets = function(*arrays)
    return tuple(output.gradient(*targets, gradient=cotangents[0]))


def _copy(x: Tensor, number: int) -> Tensor:
    """A recorded copy. Tensors of one graph are one tensor to tinygrad, so that two copies need shapes of their own."""
    return x.reshape((1,) * number + x.shape).contiguous().reshape(x.shape)
