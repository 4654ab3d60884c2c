"""The adapters to torch: its tape, its functional transforms."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, ClassVar

import torch
import torch.autograd.forward_ad as fwAD  # noqa: N812 - its customary name
from torch.utils.checkpoint import checkpoint

from conformance.backend import (
    Capability,
    Function,
    FunctionalBackend,
    GraphNode,
    NDArray,
    TapeBackend,
    as_tuple,
)
from conformance.errors import Unsupported
from conformance_backends.control_flow.of_torch import TorchFlow
from conformance_backends.dialects.of_torch import FUNC, TAPE
from conformance_backends.jacobians.of_torch import FuncJacobians, TapeJacobians
from conformance_backends.torch_arrays import (
    Torch,
    gradients_within,
    hold_tape,
    pushed_along,
    recorded_gradients,
)
from conformance_backends.torch_testers import TESTERS


class TorchTape(TapeJacobians, TorchFlow, Torch, TapeBackend):
    """torch as most of its users call it: requires_grad, backward() and .grad."""

    mode = "tape"
    # Not COMPILING: without a C compiler torch.compile traces (aot_eager, 0.3 s a function), but it counts
    # closures of one line of Python as one function, and gives up on, or runs uncompiled, the ninth.
    capabilities = frozenset(
        {
            Capability.TAPE,
            Capability.CLEARING,
            Capability.FREEZING,
            Capability.RETAINING,
            Capability.WRITABLE,
            Capability.NO_GRAD,
            Capability.DETACH,
            Capability.CUSTOM_RULE,
            Capability.SEVERAL_OUTPUTS,
            Capability.NEEDED_OPERANDS,
            Capability.FORWARD_RULES,
            Capability.GRAPH,
            Capability.DEEP,
            Capability.HIGHER_ORDER,
            Capability.FORWARD,
            Capability.VECTORIZING,
            Capability.RANDOM_NUMBERS,
            Capability.DROPOUT,
            Capability.CHECKPOINTING,
            Capability.BRANCHES,
            Capability.HOOKS,
            Capability.ANOMALY,
            Capability.RECORDED_WRITES,
            Capability.INTERMEDIATES,
            Capability.JACOBIANS,
            Capability.COMPLEX,
        }
    )
    conventions: ClassVar[Mapping[str, str]] = {
        "A2": "refused",
        "A3": "seeded",
        "A4": "refused",
        "A5": "cast",
        "A13": "none",
        "A14": "refused",
        "A16": "refused",
        "A18": "gradient",
        "B3": "accumulates",
        "B4": "updated",
        "B8": "none",
        "B11": "100 000 nodes",
        "C3": "shares",
        "C4": "none",
        "C5": "tolerated",
        "C6": "calls",
        "C7": "eager",
        "D4": "hazard",
        "D5": "refused",
        "D6": "views",
        "D9": "each",
        "D11": "recorded",
        "E16": "trap",
        "E19": "zeros",
    }
    dialect = TAPE
    testers = TESTERS

    def leaf(self, value: NDArray) -> torch.Tensor:
        """A tensor that requires a gradient."""
        return self.array(value).requires_grad_()

    def backward(self, output: Any, gradient: Any = None, *, retain: bool = False) -> None:
        """Tensor.backward()."""
        output.backward(gradient, retain_graph=retain)

    def grad(self, leaf: Any) -> Any:
        """Tensor.grad."""
        return leaf.grad

    def clear(self, leaf: Any) -> None:
        """Set the gradient to None, as optimizers do."""
        leaf.grad = None

    def needs_gradient(self, leaf: Any, flag: bool) -> None:
        """Tensor.requires_grad_(flag)."""
        leaf.requires_grad_(flag)

    def graph(self, output: Any) -> GraphNode:
        """The nodes behind `output`, one record for each, however many paths lead to it."""
        root = torch.autograd.graph.get_gradient_edge(output).node
        built: dict[Any, GraphNode | None] = {None: None}
        waiting = [root]
        while waiting:  # a list, not recursion: a graph may be deep
            node = waiting[-1]
            inputs = [before for before, _ in node.next_functions]
            missing = [before for before in inputs if before not in built]
            if missing:
                waiting += missing
                continue
            waiting.pop()
            variable = getattr(node, "variable", None)
            sources = tuple(built[before] for before in inputs)
            built[node] = GraphNode(node.name(), sources, variable, hasattr(node, "variable"))
        top = built[root]
        assert top is not None  # only the key None means a constant
        return top

    def nested_vjp(
        self, function: Function, arrays: Sequence[Any], cotangents: Sequence[Any]
    ) -> tuple[Any, ...]:
        """torch.autograd.grad with create_graph."""
        hold_tape(arrays)
        return tuple(recorded_gradients(function, arrays, cotangents))

    def jvp(
        self, function: Function, operands: Sequence[NDArray], tangents: Sequence[NDArray]
    ) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
        """Dual numbers, torch.autograd.forward_ad."""
        return _pushed(function, [*map(self.leaf, operands)], [*map(self.array, tangents)])

    def nested_jvp(
        self, function: Function, arrays: Sequence[Any], tangents: Sequence[Any]
    ) -> tuple[Any, ...]:
        """The same, recorded by the tape; torch has one level of dual numbers only."""
        return _pushed(function, arrays, tangents)[1]

    def gradients_within(
        self, function: Function, operands: Sequence[NDArray], cotangents: Sequence[NDArray]
    ) -> Sequence[Any]:
        """torch.autograd.grad of lists."""
        given = [*map(self.array, operands)], [*map(self.array, cotangents)]
        found: Sequence[Any] = gradients_within(function, *given)
        return found

    def checkpoint(self, function: Function) -> Function:
        """torch.utils.checkpoint, of the kind that torch recommends."""
        return functools.partial(checkpoint, function, use_reentrant=False)

    def hook(self, array: Any, seen: Callable[[Any], Any]) -> Callable[[], None]:
        """Tensor.register_hook."""
        remove: Callable[[], None] = array.register_hook(seen).remove
        return remove

    def anomaly(self) -> AbstractContextManager[Any]:
        """torch.autograd.set_detect_anomaly."""
        scope: AbstractContextManager[Any] = torch.autograd.set_detect_anomaly(True)
        return scope

    def assign(self, array: Any, index: Any, value: Any) -> None:
        """torch's own write in place."""
        array[index] = value


_level = threading.local()  # whether a thread is pushing tangents forward


def _pushed(
    function: Function, arrays: Sequence[Any], tangents: Sequence[Any]
) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """The outputs and their tangents; None for a tangent that is known to be zero."""
    if getattr(_level, "is_open", False):  # in this thread: that of another one is no nesting
        try:
            with fwAD.dual_level():
                pass
        except RuntimeError as error:
            raise Unsupported(f"torch: {error}") from error
    before, _level.is_open = getattr(_level, "is_open", False), True
    try:
        outputs, pushed = pushed_along(function, arrays, tangents)
    except NotImplementedError as error:
        raise Unsupported(f"torch: {error}") from error
    finally:
        _level.is_open = before
    return as_tuple(outputs), as_tuple(pushed)


def _pushed_by_func(
    function: Function, arrays: Sequence[Any], tangents: Sequence[Any]
) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    try:
        outputs, pushed = torch.func.jvp(function, tuple(arrays), tuple(tangents))
    except NotImplementedError as error:
        raise Unsupported(f"torch.func: {error}") from error
    return as_tuple(outputs), as_tuple(pushed)


class TorchFunc(FuncJacobians, Torch, FunctionalBackend):
    """torch's function transforms, torch.func."""

    mode = "func"
    capabilities = frozenset(
        {
            Capability.WRITABLE,
            Capability.NO_GRAD,
            Capability.DETACH,
            Capability.CUSTOM_RULE,
            Capability.SEVERAL_OUTPUTS,
            Capability.NEEDED_OPERANDS,
            Capability.FORWARD_RULES,
            Capability.RETAINING,
            Capability.DEEP,
            Capability.HIGHER_ORDER,
            Capability.FORWARD,
            Capability.VECTORIZING,
            Capability.RANDOM_NUMBERS,
            Capability.DROPOUT,
            Capability.VALUE_WITH_GRADIENT,
            Capability.STRUCTURES,
            Capability.JACOBIANS,
            Capability.COMPLEX,
        }
    )
    conventions: ClassVar[Mapping[str, str]] = {
        "A2": "refused",
        "A3": "refused",
        "A4": "refused",
        "A5": "cast",
        "A13": "zeros",
        "A14": "zeros",
        "A16": "refused",
        "A18": "gradient",
        "B3": "functional",
        "B11": "100 000 nodes",
        "C3": "shares",
        "C4": "none",
        "C5": "tolerated",
        "C7": "eager",
        "D4": "hazard",
        "D9": "each",
        "E16": "trap",
        "E19": "zeros",
    }
    dialect = FUNC

    def pullback(self, function: Function, arrays: Sequence[Any]) -> tuple[Any, Callable[..., Any]]:
        """torch.func.vjp."""
        output, pulled = torch.func.vjp(function, *arrays)
        return output, pulled

    def gradient(self, function: Function, operands: Sequence[NDArray]) -> tuple[Any, ...]:
        """torch.func.grad of every operand."""
        arrays = [self.array(x) for x in operands]
        return tuple(torch.func.grad(function, argnums=tuple(range(len(arrays))))(*arrays))

    def nested_vjp(
        self, function: Function, arrays: Sequence[Any], cotangents: Sequence[Any]
    ) -> tuple[Any, ...]:
        """torch.func.vjp, which nests."""
        output, pulled = torch.func.vjp(function, *arrays)
        return tuple(pulled(tuple(cotangents) if isinstance(output, tuple) else cotangents[0]))

    def jvp(
        self, function: Function, operands: Sequence[NDArray], tangents: Sequence[NDArray]
    ) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
        """torch.func.jvp."""
        return _pushed_by_func(function, [*map(self.array, operands)], [*map(self.array, tangents)])

    def nested_jvp(
        self, function: Function, arrays: Sequence[Any], tangents: Sequence[Any]
    ) -> tuple[Any, ...]:
        """torch.func.jvp, which nests."""
        return _pushed_by_func(function, arrays, tangents)[1]
