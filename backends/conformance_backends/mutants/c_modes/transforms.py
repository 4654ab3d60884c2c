"""Mutants that compile a function, or map it over an axis, wrongly."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from conformance.backend import Function, as_tuple
from conformance.ops import CATALOGUE
from conformance_backends import numpy_engine as engine
from conformance_backends.mutants.mutant import Mutant, WithTransforms, behaviour
from conformance_backends.numpy_engine.tensor import Tensor, apply, detach, edge_of, tensor_at


def baking(keep: Callable[[Sequence[Any]], Any]) -> Any:
    """A compiler for which the last operand's value at the first call with the same `keep` is a constant."""

    def compiled(self: Any, function: Function) -> Function:
        first: dict[Any, Any] = {}

        def call(*operands: Any) -> Any:
            *others, last = operands
            baked = first.setdefault(keep(operands), detach(last))
            return function(*others, tensor_at(baked, edge_of(last)))

        return call

    return compiled


def in_half_precision(self: Any, function: Function) -> Function:
    """What is compiled computes in float16."""

    def call(*operands: Any) -> Any:
        return function(*(x.astype("float16") for x in operands)).astype(operands[0].dtype)

    return call


def rows_reversed(self: Any, function: Function) -> Function:
    """The rows come out in the reverse order."""
    return WithTransforms.looped(self, function, slice(None, None, -1))


def first_row_for_all(self: Any, function: Function) -> Function:
    """The last operand is not mapped: its first row serves all."""

    def mapped(*operands: Any) -> Any:
        *others, last = operands
        shared = last[(slice(0, 1),)] + last * 0
        return WithTransforms.looped(self, function)(*others, shared)

    return mapped


def single_row_unmapped(self: Any, function: Function) -> Function:
    """An axis of length one is taken for no axis: the function sees it, and nothing is stacked."""

    def mapped(*operands: Any) -> Any:
        return (
            function(*operands) if len(operands[0]) == 1 else WithTransforms.looped(self, function)(*operands)
        )

    return mapped


def batch_of_one_squeezed(self: Any, function: Function) -> Function:
    """Of a batch of one the function sees the rows without any axis of length one."""
    mapped = WithTransforms.looped(self, function)

    def squeezed(*operands: Any) -> Any:
        if any(x.shape[0] != 1 for x in operands):
            return mapped(*operands)
        output = function(*(_reshaped(x, [n for n in x.shape if n > 1]) for x in operands))
        outputs = [_reshaped(z, [1, *z.shape]) for z in as_tuple(output)]
        return tuple(outputs) if isinstance(output, tuple) else outputs[0]

    return squeezed


def _reshaped(x: Any, shape: Sequence[int]) -> Any:
    return apply(CATALOGUE["reshape"], (x,), {"shape": tuple(shape)})


def equal_axes_exchanged(self: Any, function: Function) -> Function:
    """What a map within a map returns has its two mapped axes exchanged, which shows in no shape where they are equally long."""
    right = self.looped(function)

    def mapped(*operands: Any) -> Any:
        levels = self.kept.setdefault("levels", [])
        levels[-1:] = [True] if levels else []  # the map around it has one within
        levels.append(False)
        try:
            output = right(*operands)
        finally:
            has_map_within = levels.pop()
        outputs = [_exchanged(z) if has_map_within else z for z in as_tuple(output)]
        return tuple(outputs) if isinstance(output, tuple) else outputs[0]

    return mapped


def _exchanged(z: Any) -> Any:
    """z, whose first two axes are exchanged where they are equally long."""
    if len(z.shape) < 2 or z.shape[0] != z.shape[1]:
        return z
    return apply(CATALOGUE["permute_dims"], (z,), {"axes": (1, 0, *range(2, len(z.shape)))})


def gradients_averaged(self: Any, function: Function) -> Function:
    """Every row receives the mean of all rows' gradients."""
    mapped = WithTransforms.looped(self, function)

    def averaged(*operands: Any) -> Any:
        return mapped(*(_averaging(x) for x in operands))

    return averaged


def _averaging(x: Any) -> Any:
    """x, whose rows have one gradient: their mean."""
    mean = engine.custom(
        lambda value: value, lambda g, value: (np.broadcast_to(g.mean(axis=0), g.shape).astype(g.dtype),)
    )
    return mean(x) if isinstance(x, Tensor) else x


def of_the_first_dtype(self: Any, function: Function) -> Function:
    """What was compiled for one dtype computes with its digits in every other."""
    first: dict[Any, list[Any]] = {}

    def call(*operands: Any) -> Any:
        dtypes = first.setdefault([x.shape for x in operands].__repr__(), [x.dtype for x in operands])
        return function(*(x.astype(d).astype(x.dtype) for x, d in zip(operands, dtypes, strict=True)))

    return call


CLOSE = "contract/C10/compiled-close"
COMPILED = "contract/C10/compiled"
APART = "contract/C10/per-example"
MAPPED = "contract/C10/vectorized"


def first_output_alone(self: Any, function: Function) -> Function:
    """Of a compiled function's outputs all but the first are constants."""

    def call(*operands: Any) -> Any:
        output = function(*operands)
        return (output[0], *map(engine.detach, output[1:])) if isinstance(output, tuple) else output

    return call


def last_is_constant_inside(self: Any, function: Callable[..., Any], arrays: Any, cotangents: Any) -> Any:
    """In a gradient that is computed inside a mapped function the last operand is a constant."""
    *others, last = arrays
    given = [*others, detach(last) + last * 0] if self.kept.get("mapped") else arrays
    return WithTransforms.nested_vjp(self, function, given, cotangents)


def noting_the_map(self: Any, function: Function) -> Function:
    """The loop, during which it is known that it runs."""
    right = self.looped(function)

    def call(*operands: Any) -> Any:
        self.kept["mapped"] = True
        try:
            return right(*operands)
        finally:
            self.kept["mapped"] = False

    return call


MUTANTS: tuple[Mutant, ...] = (
    behaviour("compiled-bakes-values", "An operand's value in the first call with the same shapes is compiled in as a constant.",
        (COMPILED,), base=WithTransforms, compiled=baking(lambda xs: [(x.shape, x.dtype.name) for x in xs].__repr__())),
    behaviour("compiled-one-shape", "What was compiled for one shape is used for all.",
        (COMPILED, "capability/compiling"), base=WithTransforms, compiled=baking(len)),
    behaviour("compiled-for-the-first-dtype", "What was compiled for single precision rounds double precision to it.",
        (COMPILED,), base=WithTransforms, compiled=of_the_first_dtype),
    behaviour("compiled-in-half", "What is compiled computes in float16.",
        (CLOSE,), base=WithTransforms, compiled=in_half_precision),
    behaviour("mapped-reversed", "Rows of a mapped function come out in reverse order.",
        (MAPPED,), base=WithTransforms, vectorized=rows_reversed),
    behaviour("mapped-first-row", "The last operand's first row is used for all rows.",
        (MAPPED, APART), base=WithTransforms, vectorized=first_row_for_all),
    behaviour("mapped-single-row", "An axis of length one is not mapped over.",
        (MAPPED,), base=WithTransforms, vectorized=single_row_unmapped),
    behaviour("mapped-batch-of-one-squeezed", "In a batch of one every axis of length one is dropped.",
        (MAPPED,), base=WithTransforms, vectorized=batch_of_one_squeezed),
    behaviour("mapped-axes-exchanged", "A map within a map exchanges their two axes where they are equally long.",
        (MAPPED,), base=WithTransforms, vectorized=equal_axes_exchanged),
    behaviour("mapped-averages", "Every row receives the mean of all rows' gradients.",
        (MAPPED, APART), base=WithTransforms, vectorized=gradients_averaged),
    behaviour("mapped-at-once", "The function is called once with all rows.",
        (MAPPED, APART, "capability/vectorizing"), base=WithTransforms, vectorized=lambda self, function: function),
    behaviour("compiled-first-output", "Of a compiled function's outputs only the first has a gradient.",
        ("contract/C10/several-outputs",), base=WithTransforms, compiled=first_output_alone),
    behaviour("mapped-gradient-of-constants", "In a gradient that is computed inside a mapped function the last operand is a constant.",
        ("contract/C10/mapped-gradient",), base=WithTransforms, vectorized=noting_the_map, nested_vjp=last_is_constant_inside),
)  # fmt: skip
