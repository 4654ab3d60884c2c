"""What torch's adapters share: arrays, scopes, custom rules, and gradients as scripts take them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, ClassVar

import numpy as np
import torch
import torch.autograd.forward_ad as fwAD  # noqa: N812 - its customary name
import torch.nn.functional as F  # noqa: N812 - its customary name

from conformance.backend import Backend, Function, NDArray, as_tuple
from conformance.dtype import BFLOAT16, carried
from conformance.errors import Unsupported
from conformance.parameters import Lacking
from conformance_backends.torch_ops import OPS
from conformance_backends.torch_points import DEPARTURES
from conformance_backends.usual_points import declared_points


class Torch(Backend):
    """The methods that do not depend on how gradients are computed."""

    engine = "torch"
    dtypes = ("float64", "float32", "float16", "bfloat16", "complex128", "complex64")
    # RuntimeError: … does not support automatic differentiation for outputs with complex dtype.
    no_gradient: ClassVar[Mapping[str, frozenset[str]]] = dict.fromkeys(
        ("complex128", "complex64"), frozenset({"embedding", "silu", "segment_prod", "segment_mean"})
    )
    # ValueError: batch_norm eps must be positive during training
    lacks: ClassVar[Lacking] = {"batch_norm": {"eps": (0.0,)}}
    ops = OPS
    points = declared_points(OPS, DEPARTURES)

    def version(self) -> str:
        """torch's version, with its build."""
        return str(torch.__version__)

    def array(self, value: NDArray) -> torch.Tensor:
        """A tensor of its own memory, with the layout of `value`."""
        return with_layout_of(np.asarray(value))

    def numpy(self, array: torch.Tensor) -> NDArray:
        """The values, without the history; they may wait to be conjugated or negated, or be zeros without memory."""
        return in_numpy(array, force=True)

    def memory(self, array: torch.Tensor) -> NDArray:
        """NumPy's view of the tensor's memory, which torch does not see being written; what waits to be negated stands there as it is."""
        detached = array.detach()
        return in_numpy(torch._neg_view(detached) if detached.is_neg() else detached, force=False)

    def no_grad(self) -> AbstractContextManager[Any]:
        """torch.no_grad()."""
        scope: AbstractContextManager[Any] = torch.no_grad()
        return scope

    def detach(self, array: torch.Tensor) -> torch.Tensor:
        """Tensor.detach()."""
        return array.detach()

    def noise(self, like: torch.Tensor) -> torch.Tensor:
        """torch.bernoulli."""
        return torch.bernoulli(torch.full_like(like, 0.5))

    def dropout(self, x: torch.Tensor, rate: float) -> torch.Tensor:
        """torch.nn.functional.dropout."""
        return F.dropout(x, rate)

    def vectorized(self, function: Function) -> Function:
        """torch.vmap."""
        mapped: Function = torch.vmap(function)
        return mapped

    def custom(self, forward: Function, backward: Function) -> Function:
        """A torch.autograd.Function; the result of `backward` reaches torch unchanged."""
        return ruled(forward, backward, "backward")

    def custom_by_operand(self, forward: Function, backward: Function) -> Function:
        """A torch.autograd.Function that saves operands and outputs, and looks at needs_input_grad."""

        class RuleByOperand(torch.autograd.Function):  # type: ignore[misc]  # torch is not typed here
            generate_vmap_rule = True

            @staticmethod
            def forward(*operands: Any) -> Any:
                return forward(*operands)

            @staticmethod
            def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
                ctx.save_for_backward(*inputs, *as_tuple(output))

            @staticmethod
            def backward(ctx: Any, *cotangents: Any) -> Any:
                count = len(ctx.needs_input_grad)
                saved = ctx.saved_tensors  # once: under a checkpoint each look computes it again
                return tuple(
                    backward(i, cotangents, saved[:count], saved[count:]) if is_needed else None
                    for i, is_needed in enumerate(ctx.needs_input_grad)
                )

        apply: Function = RuleByOperand.apply
        return apply

    def custom_forward(self, forward: Function, pushforward: Function) -> Function:
        """A torch.autograd.Function with jvp alone; what `pushforward` returns reaches torch unchanged."""

        class ForwardRule(torch.autograd.Function):  # type: ignore[misc]  # torch is not typed here
            generate_vmap_rule = True

            @staticmethod
            def forward(*operands: Any) -> Any:
                return forward(*operands)

            @staticmethod
            def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
                ctx.save_for_forward(*inputs)

            @staticmethod
            def jvp(ctx: Any, *tangents: Any) -> Any:
                return pushforward(ctx.saved_tensors, tangents)

        apply: Function = ForwardRule.apply
        return apply


def ruled(forward: Function, rule: Function, name: str) -> Function:
    """A torch.autograd.Function that saves its operands, whose rule is called `backward` or `vjp`."""

    class CustomRule(torch.autograd.Function):  # type: ignore[misc]  # torch is not typed here
        generate_vmap_rule = True  # needed by torch.func under vmap

        @staticmethod
        def forward(*operands: Any) -> Any:
            return forward(*operands)

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
            ctx.save_for_backward(*inputs)

    setattr(CustomRule, name, staticmethod(lambda ctx, g: rule(g, *ctx.saved_tensors)))
    apply: Function = CustomRule.apply
    return apply


def hold_tape(arrays: Sequence[Any]) -> None:
    """Raise Unsupported where the tape does not start: inside torch.vmap."""
    try:
        for array in arrays:
            if array.is_floating_point() or array.is_complex():  # others may have no gradient anywhere
                array.view_as(array).requires_grad_()
    except RuntimeError as error:
        raise Unsupported(f"torch: {error}") from error


def in_numpy(array: torch.Tensor, *, force: bool) -> NDArray:
    """Tensor.numpy, which passes only the bits of bfloat16."""
    if array.dtype is not torch.bfloat16:
        values: NDArray = array.numpy(force=force)
        return values
    bits: NDArray = array.detach().view(torch.int16).numpy(force=force)
    return bits.view(BFLOAT16)


def with_layout_of(value: NDArray) -> torch.Tensor:
    """A tensor of the strides and the offset of `value` in memory of its own.

    torch has no negative strides, and those of an empty array do not matter: both get C order.
    """
    if not value.size or value.flags.c_contiguous or any(s < 0 or s % value.itemsize for s in value.strides):
        return tensor(np.array(value, order="C"))
    strides = [s // value.itemsize for s in value.strides]
    extent = 1 + sum((n - 1) * s for n, s in zip(value.shape, strides, strict=True))
    flat = tensor(np.lib.stride_tricks.as_strided(value, (extent,), (value.itemsize,)))
    # set_, because as_strided returns a view of another tensor, to which other in-place rules apply.
    return torch.empty(0, dtype=flat.dtype).set_(flat.untyped_storage(), 0, value.shape, strides)


def tensor(value: NDArray) -> torch.Tensor:
    """torch.tensor, of bfloat16 through float32: torch does not read bfloat16 from NumPy."""
    return torch.tensor(carried(value), dtype=torch.bfloat16 if value.dtype == BFLOAT16 else None)


def recorded_gradients(function: Any, arrays: Any, cotangents: Any) -> Any:
    """torch.autograd.grad at aliases: only what comes through the arguments counts. One array stands without a list."""
    variables = [x.view_as(x).requires_grad_() for x in arrays]
    outputs = function(*variables)
    inputs = variables[0] if len(variables) == 1 else variables
    return torch.autograd.grad(outputs, inputs, cotangents, create_graph=True, allow_unused=True)


def gradients_within(function: Any, arrays: Any, cotangents: Any) -> Any:
    """torch.autograd.grad of several outputs, by any tensors that a function of new leaves returns beside them."""
    outputs, inputs = function(*[x.detach().requires_grad_() for x in arrays])
    return torch.autograd.grad(outputs, inputs, cotangents, allow_unused=True)


def pushed_along(function: Any, arrays: Any, tangents: Any) -> Any:
    """Dual numbers through a function: what comes out, and its tangents."""
    with fwAD.dual_level():
        outputs = function(*(fwAD.make_dual(x, t) for x, t in zip(arrays, tangents, strict=True)))
        if isinstance(outputs, tuple):
            return tuple(zip(*map(fwAD.unpack_dual, outputs), strict=True))
        return tuple(fwAD.unpack_dual(outputs))
