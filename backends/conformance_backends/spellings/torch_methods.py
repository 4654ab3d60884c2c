"""torch's other functions for what the protocol's methods ask: torch.autograd.functional, hooks of nodes, Function.vjp.

What stands outside of classes is read as source for scripts too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any

import torch

from conformance.backend import Capability, Function, NDArray, as_tuple
from conformance.errors import Unsupported
from conformance_backends.torch_arrays import hold_tape, ruled

RESPELLED = frozenset(
    {
        Capability.NO_GRAD,
        Capability.CUSTOM_RULE,
        Capability.HIGHER_ORDER,
        Capability.FORWARD,
        Capability.VECTORIZING,
        Capability.HOOKS,
        Capability.RECORDED_WRITES,
        Capability.INTERMEDIATES,
        Capability.JACOBIANS,
    }
)


def one_or_all(items: Any) -> Any:
    """What torch.autograd.functional takes and gives: one tensor by itself, several as a tuple."""
    return items[0] if len(items) == 1 else tuple(items)


def pulled_recorded(function: Any, arrays: Any, cotangents: Any) -> Any:
    """torch.autograd.functional.vjp with create_graph: a gradient for each array."""
    vjp = torch.autograd.functional.vjp
    gradients = vjp(function, one_or_all(arrays), one_or_all(cotangents), create_graph=True)[1]
    return gradients if isinstance(gradients, tuple) else (gradients,)


def pushed_twice(function: Any, arrays: Any, tangents: Any) -> Any:
    """torch.autograd.functional.jvp, recorded: forward mode by two reverse passes."""
    jvp = torch.autograd.functional.jvp
    return jvp(function, one_or_all(arrays), one_or_all(tangents), create_graph=True)


def gradients_kept(function: Any, arrays: Any, cotangents: Any) -> Any:
    """Tensor.retain_grad, then one backward pass of several outputs: what each tensor was left with."""
    outputs, kept = function(*[x.detach().requires_grad_() for x in arrays])
    for x in kept:
        x.retain_grad()
    torch.autograd.backward(outputs, cotangents)
    return [x.grad for x in kept]


def hook_of_node(array: Any, seen: Any) -> Any:
    """A hook of the node that made a tensor, before its rule is called; that of a leaf lives no longer than a graph."""
    if array.grad_fn is None:
        return array.register_hook(seen)
    edge = torch.autograd.graph.get_gradient_edge(array)
    place = edge.output_nr

    def before(gradients: Any) -> Any:
        new = None if gradients[place] is None else seen(gradients[place])
        return None if new is None else (*gradients[:place], new, *gradients[place + 1 :])

    return edge.node.register_prehook(before)


def vmap_of_last(function: Any) -> Any:
    """torch.vmap along the last axis of operands and outputs, which are the first ones outside."""
    mapped = torch.vmap(function, in_dims=-1, out_dims=-1)

    def of_first(*operands: Any) -> Any:
        outputs = mapped(*(x.movedim(0, -1) for x in operands))
        return (
            tuple(z.movedim(-1, 0) for z in outputs) if isinstance(outputs, tuple) else outputs.movedim(-1, 0)
        )

    return of_first


class TorchMethods:
    """The methods of the protocol, by other functions than those of `torch_backend`."""

    array: Callable[[NDArray], torch.Tensor]

    def no_grad(self) -> AbstractContextManager[Any]:
        """torch.set_grad_enabled(False)."""
        scope: AbstractContextManager[Any] = torch.set_grad_enabled(False)
        return scope

    def custom(self, forward: Function, backward: Function) -> Function:
        """A torch.autograd.Function with `vjp`, which torch takes in place of `backward`."""
        return ruled(forward, backward, "vjp")

    def nested_vjp(
        self, function: Function, arrays: Sequence[Any], cotangents: Sequence[Any]
    ) -> tuple[Any, ...]:
        """torch.autograd.functional.vjp with create_graph."""
        hold_tape(arrays)
        return tuple(pulled_recorded(function, arrays, cotangents))

    def jvp(
        self, function: Function, operands: Sequence[NDArray], tangents: Sequence[NDArray]
    ) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
        """torch.autograd.functional.jvp."""
        given = [*map(self.array, operands)], [*map(self.array, tangents)]
        try:
            outputs, pushed = pushed_twice(function, *given)
        except NotImplementedError as error:  # of second derivatives
            raise Unsupported(f"torch: {error}") from error
        return as_tuple(outputs), as_tuple(pushed)

    def nested_jvp(
        self, function: Function, arrays: Sequence[Any], tangents: Sequence[Any]
    ) -> tuple[Any, ...]:
        """The same."""
        hold_tape(arrays)
        return as_tuple(pushed_twice(function, arrays, tangents)[1])

    def gradients_within(
        self, function: Function, operands: Sequence[NDArray], cotangents: Sequence[NDArray]
    ) -> Sequence[Any]:
        """Tensor.retain_grad and torch.autograd.backward."""
        given = [*map(self.array, operands)], [*map(self.array, cotangents)]
        found: Sequence[Any] = gradients_kept(function, *given)
        return found

    def vectorized(self, function: Function) -> Function:
        """torch.vmap along the last axis."""
        mapped: Function = vmap_of_last(function)
        return mapped

    def hook(self, array: Any, seen: Callable[[Any], Any]) -> Callable[[], None]:
        """Node.register_prehook."""
        remove: Callable[[], None] = hook_of_node(array, seen).remove
        return remove

    def assign(self, array: Any, index: Any, value: Any) -> None:
        """Tensor.copy_ of a view; an index that makes a copy cannot be written so."""
        part = array[index]
        if part.untyped_storage().data_ptr() != array.untyped_storage().data_ptr():
            raise Unsupported("torch writes through views, and this index makes a copy")
        part.copy_(torch.as_tensor(value, dtype=array.dtype))

    def jacobian(self, function: Function, operands: Sequence[NDArray], kind: str = "rows") -> Sequence[Any]:
        """torch.autograd.functional, vectorized in reverse mode."""
        arrays = tuple(map(self.array, operands))
        if kind == "columns":
            raise Unsupported("torch.autograd.functional.jacobian has one way of forward mode")
        if kind == "hessian":
            return (torch.autograd.functional.hessian(function, *arrays, vectorize=True),)
        found: Sequence[Any] = torch.autograd.functional.jacobian(function, arrays, vectorize=True)
        return found


WORDS: Mapping[str, str] = {
    "nested_vjp": "{out} = pulled_recorded({function}, [{operands}], [{cotangents}])",
    "jvp": "{out}, {pushed} = pushed_twice({function}, [{operands}], [{tangents}])",
    "gradients_within": "gradients_kept({function}, [{operands}], [{cotangents}])",
    "vectorized": "vmap_of_last({function})",
    "hook": "hook_of_node({array}, {seen}).remove",
    "assign": "{array}[{index}].copy_(torch.as_tensor({value}))",
    "rows": "torch.autograd.functional.jacobian({function}, ({operands},), vectorize=True)",
    "hessian": "(torch.autograd.functional.hessian({function}, {operands}, vectorize=True),)",
}
CUSTOM_RULE = """\
class {name}(torch.autograd.Function):
    @staticmethod
    def forward({operands}):
        return {value}
    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)
    @staticmethod
    def vjp(ctx, g):
        {operands}, = ctx.saved_tensors
        return {cotangents}
{name} = {name}.apply"""
