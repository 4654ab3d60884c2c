"""torch with every function compiled: what computes goes through torch.compile.

torch.compile keeps what it compiled by the code of a function, so closures of one line of Python are one function to it,
and the ninth runs uncompiled. Here each function of the suite gets code of its own, as it would have in a user's program.
"""

from __future__ import annotations

import itertools
import logging
import os
import types
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial
from typing import Any, ClassVar

import torch
from torch.utils.checkpoint import checkpoint

from conformance.backend import Capability, Function, FunctionalBackend, NDArray, Trace, as_tuple
from conformance_backends.dialects.of_torch import compiled_with
from conformance_backends.torch_arrays import Torch
from conformance_backends.torch_backend import TorchTape

SHAPES = 1000  # that a function may be compiled for; of the ninth, torch runs the function uncompiled
_NUMBERS = itertools.count()
logging.getLogger("torch._dynamo").setLevel(
    logging.ERROR
)  # it prints a page where it leaves a part uncompiled


class TorchCompile(Torch, FunctionalBackend):
    """torch compiled by its default compiler, Inductor: the forward pass and its gradients as generated C++."""

    mode = "compile"
    compiler: ClassVar[str] = "inductor"
    compiles_signatures = True
    # Not RETAINING: generated code reuses the memory of what it saved. Not HIGHER_ORDER: torch says that it has none.
    # Not NEEDED_OPERANDS: a custom rule is traced, for all operands, and not called.
    capabilities = frozenset(
        {
            Capability.WRITABLE,
            Capability.NO_GRAD,
            Capability.DETACH,
            Capability.CUSTOM_RULE,
            Capability.SEVERAL_OUTPUTS,
            Capability.COMPILING,
            Capability.VECTORIZING,
            Capability.CHECKPOINTING,
            Capability.COMPLEX,
        }
    )
    conventions: ClassVar[Mapping[str, str]] = {
        clause: choice
        for clause, choice in TorchTape.conventions.items()
        if clause not in ("B4", "B8", "B11", "D5", "D6", "D11")
    } | {"B3": "functional"}
    dialect = compiled_with("inductor")

    def trace(
        self, function: Function, operands: Sequence[NDArray], wrt: Sequence[int] | None = None
    ) -> Trace:
        """The compiled function; operands that need no gradient are arguments too, so that others cause no compilation."""
        chosen = tuple(range(len(operands)) if wrt is None else wrt)
        arrays = [self.array(x) for x in operands]
        for i in chosen:
            arrays[i].requires_grad_()
        outputs = as_tuple(self.compiled(function)(*arrays))
        return Trace(tuple(arrays), outputs, pulling(outputs, [arrays[i] for i in chosen]))

    def pullback(self, function: Function, arrays: Sequence[Any]) -> tuple[Any, Callable[..., Any]]:
        """The function compiled, whose backward pass was compiled with it."""
        leaves = [x.detach().requires_grad_() for x in arrays]
        output = self.compiled(function)(*leaves)
        pull = pulling(as_tuple(output), leaves)
        return output, lambda g: pull(as_tuple(g))

    def gradient(self, function: Function, operands: Sequence[NDArray]) -> tuple[Any, ...]:
        """torch.autograd.grad of the compiled function, without a cotangent."""
        leaves = [self.array(x).requires_grad_() for x in operands]
        return tuple(torch.autograd.grad(self.compiled(function)(*leaves), leaves, allow_unused=True))

    def forward(self, function: Function, operands: Sequence[NDArray]) -> tuple[Any, ...]:
        """The compiled function."""
        return as_tuple(self.compiled(function)(*map(self.array, operands)))

    def compiled(self, function: Function) -> Function:
        """torch.compile."""
        return _compiled(function, self.compiler)

    def checkpoint(self, function: Function) -> Function:
        """torch.utils.checkpoint, of the kind that torch recommends."""
        return partial(checkpoint, function, use_reentrant=False)

    def forget(self) -> None:
        """Compiled functions, and what torch noted of shapes."""
        _compiled.cache_clear()
        torch.compiler.reset()

    def keep_compiled(self, folder: str) -> str:
        """Inductor's cache on disk; a user's own is used instead."""
        os.environ.setdefault("TORCHINDUCTOR_CACHE_DIR", folder)
        return ""


class TorchAot(TorchCompile):
    """torch compiled but for its last step: traced, decomposed and partitioned as torch.compile does, then run op by op.

    No C++ is generated, so a signature costs a twentieth of what it costs the default compiler.
    """

    mode = "aot"
    compiler = "aot_eager_decomp_partition"
    dialect = compiled_with("aot_eager_decomp_partition")

    def keep_compiled(self, folder: str) -> str:
        """Nothing is generated, so there is nothing to keep."""
        return ""


def pulling(outputs: Sequence[Any], leaves: Sequence[Any]) -> Callable[[Sequence[Any]], tuple[Any, ...]]:
    """The pullback of outputs, which works once."""

    def pull(cotangents: Sequence[Any]) -> tuple[Any, ...]:
        return tuple(torch.autograd.grad(list(outputs), list(leaves), list(cotangents), allow_unused=True))

    return pull


@lru_cache(maxsize=256)
def _compiled(function: Function, compiler: str) -> Function:
    def call(*operands: Any) -> Any:
        return function(*operands)

    own = call.__code__.replace(co_name=f"compiled_{next(_NUMBERS)}")
    apart = types.FunctionType(own, globals(), own.co_name, None, call.__closure__)
    made: Function = torch.compile(apart, backend=compiler, recompile_limit=SHAPES)
    return made
