"""The adapter to MyGrad: a tape whose backward replaces gradients, frees the graph."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, ClassVar

import mygrad as mg
import numpy as np
from mygrad.operation_base import Operation

from conformance.backend import Capability, Dialect, Function, GraphNode, NDArray, TapeBackend
from conformance.errors import Unsupported
from conformance_backends.mygrad_ops import OPS
from conformance_backends.mygrad_points import DEPARTURES
from conformance_backends.usual_points import declared_points

IMPORTS = """\
import mygrad as mg
import mygrad.linalg
import mygrad.nnet
import numpy as np
from mygrad.operation_base import Operation"""

CUSTOM_RULE = """\
class {name}_rule(Operation):
    def __call__(self, *operands):
        self.variables = operands
        {operands}, = (x.data for x in operands)
        return {value}

    def backward_var(self, g, index, **kwargs):
        {operands}, = (x.data for x in self.variables)
        return ({cotangents})[index]

{name} = lambda *operands: mg.execute_op({name}_rule, *operands)"""


class MyGrad(TapeBackend):
    """MyGrad as its users call it: tensors, backward() and .grad."""

    engine = "mygrad"
    computes_with_numpy = True
    ops = OPS
    points = declared_points(OPS, DEPARTURES)
    dtypes = ("float64", "float32", "float16")
    capabilities = frozenset(
        {
            Capability.TAPE,
            Capability.CLEARING,
            Capability.WRITABLE,
            Capability.NO_GRAD,
            Capability.DETACH,
            Capability.CUSTOM_RULE,
            Capability.NEEDED_OPERANDS,
            Capability.GRAPH,
            Capability.DEEP,
            Capability.RECORDED_WRITES,
            Capability.INTERMEDIATES,
        }
    )
    conventions: ClassVar[Mapping[str, str]] = {
        "A2": "summed",
        "A3": "seeded",
        "A4": "broadcast",
        "A5": "cast",
        "A13": "none",
        "A14": "none",
        "A16": "refused",
        "B3": "replaces",
        "B4": "kept",
        "B8": "kept",
        "B11": "10 000 nodes",
        "C3": "copies",
        "C4": "none",
        "C7": "eager",
        "D4": "locks",
        "D5": "renewed",
        "D6": "views",
        "D9": "winner",
        "D11": "constant",
        "E16": "trap",
        "E19": "barred",
    }
    dialect = Dialect(
        imports=IMPORTS,
        array="mg.tensor(np.array({values}, np.{dtype}), constant=True)",
        leaf="mg.tensor({array}, constant=False, copy=False)",
        backward="{output}.backward()",
        backward_with="{output}.backward({cotangent})",
        grad="{leaf}.grad",
        clear="{leaf}.null_grad()",
        detach="mg.tensor({value}, constant=True)",
        no_grad="mg.no_autodiff",
        custom=CUSTOM_RULE,
        further={
            "memory": "{array}.data",
            "assign": "{array}[{index}] = {value}",
            "gradients_within": "gradients_within({function}, [{operands}], [{cotangents}])",
        },
    )

    def version(self) -> str:
        """MyGrad's version."""
        return str(mg.__version__)

    def array(self, value: NDArray) -> mg.Tensor:
        """A constant tensor around `value` itself, however it lies in memory."""
        return mg.tensor(value, constant=True, copy=False)

    def leaf(self, value: NDArray) -> mg.Tensor:
        """A tensor that is no constant, around `value` itself."""
        return mg.tensor(value, constant=False, copy=False)

    def numpy(self, array: Any) -> NDArray:
        """The tensor's array, or the array itself: gradients are plain arrays."""
        return np.asarray(array.data if isinstance(array, mg.Tensor) else array)

    def memory(self, array: Any) -> NDArray:
        """The array of a tensor, which MyGrad locks while a graph needs it."""
        return self.numpy(array)

    def backward(self, output: Any, gradient: Any = None, *, retain: bool = False) -> None:
        """Tensor.backward(), which frees the graph."""
        if retain:
            raise Unsupported("MyGrad frees a graph in its backward pass")
        output.backward(gradient)

    def grad(self, leaf: Any) -> Any:
        """Tensor.grad."""
        return leaf.grad

    def clear(self, leaf: Any) -> None:
        """Tensor.null_grad()."""
        leaf.null_grad()

    def no_grad(self) -> AbstractContextManager[Any]:
        """mygrad.no_autodiff."""
        scope: AbstractContextManager[Any] = mg.no_autodiff
        return scope

    def detach(self, array: Any) -> mg.Tensor:
        """A constant tensor of the same values."""
        return mg.tensor(array, constant=True)

    def custom(self, forward: Function, backward: Function) -> Function:
        """An Operation, from which MyGrad requests the cotangent of one operand at a time.

        So the rule is called at the first request, and its results are stored for the others.
        """

        class CustomRule(Operation):  # type: ignore[misc]  # MyGrad is not typed here
            def __call__(self, *operands: mg.Tensor) -> NDArray:
                self.variables = operands
                self.results: Any = None
                return _data(forward(*(x.data for x in operands)))  # type: ignore[no-any-return]

            def backward_var(self, grad: NDArray, index: int, **_: Any) -> Any:
                if self.results is None:
                    self.results = tuple(map(_data, backward(grad, *(x.data for x in self.variables))))
                if len(self.results) != len(self.variables):
                    raise Unsupported(
                        "MyGrad requests cotangents one by one: it cannot check how many a rule returns"
                    )
                return self.results[index]

        return lambda *operands: mg.execute_op(CustomRule, *operands)

    def custom_by_operand(self, forward: Function, backward: Function) -> Function:
        """An Operation, which has one output, and is asked for the cotangents that are needed."""

        class RuleByOperand(Operation):  # type: ignore[misc]  # MyGrad is not typed here
            def __call__(self, *operands: mg.Tensor) -> NDArray:
                self.variables = operands
                self.output: NDArray = forward(*(x.data for x in operands))
                if isinstance(self.output, tuple):
                    raise Unsupported("an operation of MyGrad has one output")
                return self.output  # type: ignore[no-any-return]

            def backward_var(self, grad: NDArray, index: int, **_: Any) -> Any:
                operands = tuple(x.data for x in self.variables)
                return backward(index, (grad,), operands, (self.output,))

        return lambda *operands: mg.execute_op(RuleByOperand, *operands)

    def graph(self, output: Any) -> GraphNode:
        """The operation behind a tensor, its variables being the edges; a leaf is the tensor itself."""
        if output.creator is None:
            return GraphNode("Tensor", (), output, names_variable=True)
        sources = (None if x.constant else self.graph(x) for x in output.creator.variables)
        return GraphNode(type(output.creator).__name__, tuple(sources))

    def gradients_within(
        self, function: Function, operands: Sequence[NDArray], cotangents: Sequence[NDArray]
    ) -> Sequence[Any]:
        """Tensor.grad, which backward leaves at every tensor of a graph; it frees the graph, so that there is one output."""
        if len(cotangents) > 1:
            raise Unsupported("MyGrad frees a graph in its backward pass")
        given = [*map(self.array, operands)], [*map(self.array, cotangents)]
        found: Sequence[Any] = gradients_within(function, *given)
        return found

    def assign(self, array: Any, index: Any, value: Any) -> None:
        """`array[index] = value`."""
        array[index] = value


def gradients_within(function: Any, arrays: Any, cotangents: Any) -> Any:
    """The gradients left at any tensors that a function of new leaves returns beside its one output."""
    (output,), tensors = function(*[mg.tensor(x, constant=False) for x in arrays])
    output.backward(cotangents[0])
    return [x.grad for x in tensors]


def _data(value: Any) -> Any:
    """The array of a tensor: an operation's own results are arrays, also where a rule computes with MyGrad."""
    return value.data if isinstance(value, mg.Tensor) else value
