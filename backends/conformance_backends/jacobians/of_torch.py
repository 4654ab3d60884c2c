"""Whole Jacobians and Hessians by torch's own functions: torch.autograd.functional, and torch.func."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch

from conformance.backend import Function, NDArray
from conformance_backends.structures import with_arrays


class TapeJacobians:
    """torch.autograd.functional, whose forward mode is vectorized."""

    array: Callable[[NDArray], torch.Tensor]

    def jacobian(self, function: Function, operands: Sequence[NDArray], kind: str = "rows") -> Sequence[Any]:
        """The Jacobian by every operand."""
        arrays = tuple(map(self.array, operands))
        if kind == "hessian":
            return (torch.autograd.functional.hessian(function, *arrays),)
        options = {} if kind == "rows" else {"strategy": "forward-mode", "vectorize": True}
        found: Sequence[Any] = torch.autograd.functional.jacobian(function, arrays, **options)
        return found


class FuncJacobians:
    """torch.func.jacrev, jacfwd and hessian, and grad_and_value."""

    array: Callable[[NDArray], torch.Tensor]

    def jacobian(self, function: Function, operands: Sequence[NDArray], kind: str = "rows") -> Sequence[Any]:
        """The Jacobian by every operand."""
        arrays = [self.array(x) for x in operands]
        if kind == "hessian":
            return (torch.func.hessian(function)(*arrays),)
        whole = torch.func.jacrev if kind == "rows" else torch.func.jacfwd
        found: Sequence[Any] = whole(function, argnums=tuple(range(len(arrays))))(*arrays)
        return found

    def value_and_gradient(
        self,
        function: Function,
        arrays: Sequence[Any],
        wrt: int | tuple[int, ...],
        *,
        auxiliary: bool = False,
    ) -> tuple[Any, Any, Any]:
        """torch.func.grad_and_value."""
        gradients, value = torch.func.grad_and_value(function, wrt, has_aux=auxiliary)(*arrays)
        return (value[0], gradients, value[1]) if auxiliary else (value, gradients, None)

    def structured_gradient(self, function: Function, structure: Any) -> Any:
        """torch.func.grad, which takes structures."""
        return torch.func.grad(function)(with_arrays(self.array, structure))
