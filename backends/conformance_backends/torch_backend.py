"""The adapter to torch: its tape, where leaves keep gradients, beside its functional transforms."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, ClassVar

import numpy as np
import torch

from conformance.backend import (
    Backend,
    Capability,
    Dialect,
    Function,
    FunctionalBackend,
    GraphNode,
    NDArray,
    TapeBackend,
)
from conformance_backends.torch_ops import OPS

IMPORTS = "import numpy as np\nimport torch\nimport torch.nn.functional as F"


class _Torch(Backend):
    """What both of torch's faces share: arrays, scopes and rules written by hand."""

    engine = "torch"
    ops = OPS

    def version(self) -> str:
        """torch's version, with its build."""
        return str(torch.__version__)

    def array(self, value: NDArray) -> torch.Tensor:
        """A tensor of its own memory, lying there as `value` does in its own."""
        return lying_alike(np.asarray(value))

    def numpy(self, array: torch.Tensor) -> NDArray:
        """The values, without the history."""
        return self.memory(array)

    def memory(self, array: torch.Tensor) -> NDArray:
        """NumPy's view of the tensor's memory, which torch does not see being written."""
        view: NDArray = array.detach().numpy()
        return view

    def no_grad(self) -> AbstractContextManager[Any]:
        """torch.no_grad()."""
        scope: AbstractContextManager[Any] = torch.no_grad()
        return scope

    def detach(self, array: torch.Tensor) -> torch.Tensor:
        """Tensor.detach()."""
        return array.detach()

    def custom(self, forward: Function, backward: Function) -> Function:
        """A torch.autograd.Function; what `backward` returns reaches torch as it is."""

        class HandWritten(torch.autograd.Function):  # type: ignore[misc]  # torch is not typed here
            generate_vmap_rule = True  # torch.func transforms no other kind under vmap

            @staticmethod
            def forward(*operands: Any) -> Any:
                return forward(*operands)

            @staticmethod
            def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
                ctx.save_for_backward(*inputs)

            @staticmethod
            def backward(ctx: Any, g: Any) -> Any:
                return backward(g, *ctx.saved_tensors)

        apply: Function = HandWritten.apply
        return apply


def lying_alike(value: NDArray) -> torch.Tensor:
    """A tensor of the strides and the offset of `value` in memory of its own.

    torch has no negative strides, and an empty array none to speak of: those lie in C order.
    """
    if not value.size or value.flags.c_contiguous or any(s < 0 or s % value.itemsize for s in value.strides):
        return torch.tensor(np.array(value, order="C"))
    strides = [s // value.itemsize for s in value.strides]
    extent = 1 + sum((n - 1) * s for n, s in zip(value.shape, strides, strict=True))
    flat = torch.tensor(np.lib.stride_tricks.as_strided(value, (extent,), (value.itemsize,)))
    # set_, because what as_strided returns is a view of another tensor, which in-place rules tell apart.
    return torch.empty(0, dtype=flat.dtype).set_(flat.untyped_storage(), 0, value.shape, strides)


class TorchTape(_Torch, TapeBackend):
    """torch as most of its users call it: requires_grad, backward() and .grad."""

    mode = "tape"
    capabilities = frozenset(
        {
            Capability.TAPE,
            Capability.CLEARING,
            Capability.RETAINING,
            Capability.WRITABLE,
            Capability.NO_GRAD,
            Capability.DETACH,
            Capability.CUSTOM_RULE,
            Capability.GRAPH,
            Capability.DEEP,
        }
    )
    conventions: ClassVar[Mapping[str, str]] = {
        "A2": "refused",
        "A3": "seeded",
        "A4": "refused",
        "A5": "cast",
        "B3": "accumulates",
        "C3": "shares",
        "C5": "tolerated",
        "C7": "eager",
        "D4": "hazard",
        "D9": "each",
    }
    dialect = Dialect(
        imports=IMPORTS,
        array="torch.tensor({values}, dtype=torch.{dtype})",
        leaf="{array}.requires_grad_()",
        backward="{output}.backward()",
        backward_with="{output}.backward({cotangent})",
        backward_retaining="{output}.backward({cotangent}, retain_graph=True)",
        grad="{leaf}.grad",
        clear="{leaf}.grad = None",
        detach="{value}.detach()",
        no_grad="torch.no_grad()",
    )

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
        """Forget the gradient, as optimizers do."""
        leaf.grad = None

    def graph(self, output: Any) -> GraphNode:
        """The nodes behind `output`, one record for each, however many ways lead to it."""
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
        assert top is not None  # only the key None stands for a constant
        return top


class TorchFunc(_Torch, FunctionalBackend):
    """torch's function transforms, torch.func."""

    mode = "func"
    capabilities = frozenset(
        {
            Capability.WRITABLE,
            Capability.NO_GRAD,
            Capability.DETACH,
            Capability.CUSTOM_RULE,
            Capability.RETAINING,
            Capability.DEEP,
        }
    )
    conventions: ClassVar[Mapping[str, str]] = {
        "A2": "refused",
        "A3": "refused",
        "A4": "refused",
        "A5": "cast",
        "B3": "functional",
        "C3": "shares",
        "C5": "tolerated",
        "C7": "eager",
        "D4": "hazard",
        "D9": "each",
    }
    dialect = Dialect(
        imports=IMPORTS,
        array="torch.tensor({values}, dtype=torch.{dtype})",
        pullback="{out}, {pullback} = torch.func.vjp({function}, {operands})",
        gradient="torch.func.grad({function}, argnums={argnums})({operands})",
        detach="{value}.detach()",
        no_grad="torch.no_grad()",
    )

    def pullback(self, function: Function, arrays: Sequence[Any]) -> tuple[Any, Callable[..., Any]]:
        """torch.func.vjp."""
        output, pulled = torch.func.vjp(function, *arrays)
        return output, pulled

    def gradient(self, function: Function, operands: Sequence[NDArray]) -> tuple[Any, ...]:
        """torch.func.grad of every operand."""
        arrays = [self.array(x) for x in operands]
        return tuple(torch.func.grad(function, argnums=tuple(range(len(arrays))))(*arrays))
