"""Mutants whose gradients, or second derivatives alone, are wrong in a function that is mapped over a batch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from conformance.backend import Backend, Capability, Function
from conformance.ops import ALL_OPS
from conformance_backends import numpy_engine as engine
from conformance_backends.mutants.mutant import Mutant, SteppedTape, WithTransforms, behaviour

OPS = ("exp", "square", "multiply")


class Mapping(WithTransforms):
    """The reference engine, which knows whether it maps a function."""

    is_mapping = False

    def vectorized(self, function: Function) -> Function:
        """The loop, during which ops know of it."""
        right = super().vectorized(function)

        def mapped(*operands: Any) -> Any:
            self.is_mapping = True
            try:
                return right(*operands)
            finally:
                self.is_mapping = False

        return mapped


def second_doubled() -> Backend:
    """What a rule has computed counts twice where it is differentiated again, of calls that were mapped."""
    backend = Mapping()

    def altered(name: str) -> Callable[..., Any]:
        right = ALL_OPS[name]

        def doubled(index: int, g: Any, z: Any, /, *xs: Any, **parameters: Any) -> Any:
            pulled = right.rule(index, g, z, *xs, **parameters)
            return pulled + pulled - engine.detach(pulled)

        wrong = replace(right, rule=doubled)
        return lambda *xs, **parameters: engine.apply(wrong if backend.is_mapping else right, xs, parameters)

    backend.ops = {**backend.ops, **{name: altered(name) for name in OPS}}  # type: ignore[misc]
    return backend


def first_for_all(self: Any, function: Callable[..., Any]) -> Callable[..., Any]:
    """The result of the first entry is used for every entry of the stack."""

    def mapped(*stacks: Any) -> Any:
        first = function(*(stack[0] for stack in stacks))
        return engine.apply(ALL_OPS["stack"], (first,) * len(stacks[0]), {"axis": 0})

    return mapped


def operand_axes_first(self: Any, function: Function, operands: Any, kind: str = "rows") -> Any:
    """The axes of the operand come before those of the output."""
    found = SteppedTape.jacobian(self, function, operands, kind)
    return [
        np.moveaxis(j.value, range(j.ndim - x.ndim, j.ndim), range(x.ndim))
        for j, x in zip(found, operands, strict=True)
    ]


def columns_of_the_first_operand(self: Any, function: Function, operands: Any, kind: str = "rows") -> Any:
    """Column by column only the first operand is perturbed."""
    found = list(SteppedTape.jacobian(self, function, operands, kind))
    return [found[0], *(0 * j if kind == "columns" else j for j in found[1:])]


def square_columns_transposed(self: Any, function: Function, operands: Any, kind: str = "rows") -> Any:
    """Column by column a Jacobian has its axes exchanged, which its shape does not show where it is square."""
    found = SteppedTape.jacobian(self, function, operands, kind)
    is_square = [kind == "columns" and j.ndim == 2 and len({*j.shape}) == 1 for j in found]
    return [j.value.T if square else j for j, square in zip(found, is_square, strict=True)]


def without_the_last_chunk(self: Any, function: Function, operands: Any, kind: str = "rows") -> Any:
    """Computed for 32 entries at once, of which an incomplete chunk is forgotten."""
    found = SteppedTape.jacobian(self, function, operands, kind)
    parts = [None if part is None else np.array(part.value) for part in found]
    for part in parts:
        if part is not None and part.ndim:
            part[..., part.shape[-1] // 32 * 32 or None :] = 0
    return tuple(parts)


def diagonal_of_the_hessian(self: Any, function: Function, operands: Any, kind: str = "rows") -> Any:
    """The Hessian has the second derivatives by each entry alone."""
    found = SteppedTape.jacobian(self, function, operands, kind)
    if kind != "hessian":
        return found
    (x,), (hessian,) = operands, found
    return (hessian.value * np.eye(x.size, dtype=x.dtype).reshape(x.shape * 2),)


def upper_half_of_a_vectors_hessian(self: Any, function: Function, operands: Any, kind: str = "rows") -> Any:
    """The Hessian of a function of a vector has the second derivatives above its diagonal alone."""
    found = SteppedTape.jacobian(self, function, operands, kind)
    return [np.triu(h.value) if kind == "hessian" and h.ndim == 2 else h for h in found]


def entries_of_three_axes_reversed(self: Any, function: Function, operands: Any, kind: str = "rows") -> Any:
    """By an operand of three axes the derivatives along the last one are in the reverse order."""
    found = SteppedTape.jacobian(self, function, operands, kind)
    return [j.value[..., ::-1] if np.ndim(x) == 3 else j for j, x in zip(found, operands, strict=True)]


def axis_of_one_dropped(self: Any, function: Function, operands: Any, kind: str = "rows") -> Any:
    """By a vector of one entry there is no axis of it."""
    found = SteppedTape.jacobian(self, function, operands, kind)
    return [j.value[..., 0] if np.shape(x) == (1,) else j for j, x in zip(found, operands, strict=True)]


def rows_in_order_of_memory(
    self: Any, function: Function, operands: Sequence[Any], kind: str = "rows"
) -> tuple[Any, ...]:
    """The rows come in the order of the output's memory."""
    found = SteppedTape.jacobian(self, function, operands, kind)
    output = np.asarray(engine.detach(function(*map(self.array, operands))))
    if kind != "rows" or output.flags.c_contiguous or not output.flags.f_contiguous:
        return tuple(found)
    n = output.ndim
    return tuple(np.transpose(z, [*range(n)[::-1], *range(n, np.ndim(z))]).reshape(z.shape) for z in found)


def of_nothing_flat(self: Any, function: Any, operands: Any, kind: str) -> Any:
    """An empty Jacobian has one axis."""
    found = SteppedTape.jacobian(self, function, operands, kind)
    return tuple(np.zeros(0) if j.size == 0 else j for j in found)


MUTANTS: tuple[Mutant, ...] = (
    behaviour("empty-jacobian-flat", "An empty Jacobian has one axis.", ("contract/E3/empty-jacobian",), jacobian=of_nothing_flat),
    behaviour("rows-in-order-of-memory", "The rows of a whole Jacobian come in the order of the output's memory.",
        ("contract/E3/whole-jacobian",), jacobian=rows_in_order_of_memory),
    behaviour("axis-of-one-dropped", "A whole Jacobian or Hessian by a vector of one entry has no axis for it.",
        ("contract/E3/whole-jacobian", "contract/E5/whole-hessian"), jacobian=axis_of_one_dropped),
    Mutant("mapped-second-doubled", "The second derivative of an op that is mapped over a batch is doubled.",
        ("op/mapped-second",), second_doubled, OPS),
    behaviour("first-for-all", "A function mapped over a stack gives the first entry's result for every entry.",
        ("contract/E3/stacked", "contract/E3/mapped"), vectorized=first_for_all,
        capabilities=SteppedTape.capabilities | {Capability.VECTORIZING}),
    behaviour("operand-axes-first", "A whole Jacobian has the operand's axes before the output's.",
        ("contract/E3/whole-jacobian",), jacobian=operand_axes_first),
    behaviour("columns-of-the-first-operand", "Column by column a whole Jacobian is that by the first operand.",
        ("contract/E3/whole-jacobian",), jacobian=columns_of_the_first_operand),
    behaviour("square-columns-transposed", "Column by column a square Jacobian is transposed.",
        ("contract/E3/whole-jacobian",), jacobian=square_columns_transposed),
    behaviour("jacobian-without-the-last-chunk", "Of a Jacobian in chunks of 32 entries of the operand the rest is zero.",
        ("contract/E3/whole-jacobian",), jacobian=without_the_last_chunk),
    behaviour("diagonal-of-the-hessian", "A whole Hessian has no mixed derivatives.",
        ("contract/E5/whole-hessian",), jacobian=diagonal_of_the_hessian),
    behaviour("upper-half-of-the-hessian", "A whole Hessian by a vector has zeros below its diagonal.",
        ("contract/E5/whole-hessian",), jacobian=upper_half_of_a_vectors_hessian),
    behaviour("entries-of-three-axes-reversed", "A whole Jacobian by an operand of three axes has their entries in another order.",
        ("contract/E3/whole-jacobian", "contract/E5/whole-hessian"), jacobian=entries_of_three_axes_reversed),
)  # fmt: skip
