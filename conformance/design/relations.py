"""How the operands of one call lie beside each other, in words.

What an operand is beside the others matters where it needs a gradient: of a constant that is stretched nothing is summed.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from conformance.op import Op, Shape, Signature, Trait

# Ops to which operands of all ranks are alike.
ALIKE = frozenset({Trait.ELEMENTWISE, Trait.LOSS, Trait.VARIADIC})
BLOCK = 16  # the length up to which an axis is shorter than a block
THREADS = 1024  # entries of a row up to which a kernel may treat it in one piece
WIDE = 4  # the side up to which an image is small
Relations = Mapping[
    str, tuple[int, str]
]  # for a factor, the operand that must need a gradient, and the level


def relations_of(op: Op, shapes: Sequence[Shape], where: str) -> Relations:
    """How each shape lies beside the others, and again `where` axes are equal, or are summed long.

    Where each op puts rows and batches together in its way, the first of these is the op's own.
    """
    relations = [_relation(shape, shapes) for shape in shapes]
    pair, beside = _column_and_vector(op, shapes), "a column and a vector"
    own = "" if op.is_flat or op.traits & ALIKE else f"{op.name} "
    found = {f"{own}shape {i}": (i, relation) for i, relation in enumerate(relations)}
    is_of_matrices = max(map(len, shapes)) == 2
    for i, relation in enumerate(relations):
        if where:
            is_column = is_of_matrices and relation == "stretched"
            level = f"{relation}, of matrices" if is_column else relation
            found[f"shape {i}{where}"] = i, f"{relation}, {beside}" if i in pair else level
        if i < 2 and Trait.ELEMENTWISE in op.traits and _is_summed_long(shapes[i], shapes):
            found[f"shape {i}, summed long"] = i, relation
    return found


def vector_and_stack(op: Op, first: Shape, second: Shape) -> Relations:
    """Which of two operands is a vector beside a stack of matrices, whose gradient is summed over the stack; nothing where neither is."""
    ranks = len(first), len(second)
    if min(ranks) != 1 or max(ranks) <= 2:
        return {}
    which, of_what = ranks.index(1), "a stack" if max(ranks) == 3 else "stacks"
    return {f"{op.name} vector beside a stack": (which, f"{('the first', 'the second')[which]}, {of_what}")}


def matrix_and_stacks(op: Op, first: Shape, second: Shape) -> Relations:
    """Which of two operands is a matrix beside a stack of stacks, over each of whose axes its gradient is summed; nothing where neither is."""
    ranks = len(first), len(second)
    stacks = (first, second)[ranks.index(max(ranks))][:-2]
    if min(ranks) != 2 or len(stacks) < 2 or min(stacks) < 2:
        return {}
    which = ranks.index(2)
    return {f"{op.name} matrix beside stacks": (which, ("the first", "the second")[which])}


def by_operand(op: Op, signature: Signature) -> Relations:
    """What parameters and shapes together are to each operand that needs a gradient.

    Where operands of equal shapes are multiplied without summing, each one's gradient would fit the other. Where values are
    reduced into an array, whether its own entries count matters most where nothing is sent to one. Where windows move over images,
    engines have kernels of their own for the usual geometry.
    """
    shapes, parameters = signature.shapes, signature.parameters
    found = {}
    if isinstance(parameters.get("axes"), int) and len(shapes) > 1 and len(set(shapes)) == 1:
        found["axes, all shapes equal"] = f"{parameters['axes']}, of rank {len(shapes[0])}"
    if {"axis", "reduce", "include_self"} <= parameters.keys():
        axis, self_too = parameters["axis"], "with" if parameters["include_self"] else "without"
        has_room = shapes[1][axis] < shapes[0][axis]
        what = "several axes" if len(shapes[0]) > 1 else "more places than values" if has_room else "a vector"
        found["reduction and self"] = f"{parameters['reduce']} {self_too} what stands there, {what}"
    if _is_usual_window(shapes, parameters):
        found["window"] = "three wide, at every place of a larger image"
    return {
        f"{op.name} {name}, for {i}": (i, level)
        for name, level in found.items()
        for i in range(len(shapes))
        if op.is_differentiable(i)
    }


def _relation(shape: Shape, shapes: Sequence[Shape]) -> str:
    """What a shape is beside the others: one entry that is no scalar, stretched along an axis of size 1, of lower rank, a scalar, or full."""
    if shape and math.prod(shape) == 1 and any(math.prod(other) > 1 for other in shapes):
        is_of_vectors = all(sum(n > 1 for n in other) < 2 for other in shapes)
        return "one entry" if is_of_vectors else "one entry, of several axes"
    if _is_stretched(shape, shapes):
        return "stretched"
    if len(shape) == max(map(len, shapes)):
        return "full"
    return "of lower rank" if shape else "scalar"


def _is_usual_window(shapes: Sequence[Shape], parameters: Mapping[str, Any]) -> bool:
    """Whether a window moves over an image as in most networks, for which engines have kernels of their own."""
    if not {"stride", "padding", "dilation"} <= parameters.keys() or parameters.get("groups", 1) > 1:
        return False
    size = parameters.get("kernel_size", shapes[1][2:] if len(shapes) > 1 else ())
    steps = [np.ravel(parameters[name]) for name in ("stride", "padding", "dilation")]
    sides = shapes[0][2:]
    return (
        bool(sides) and set(np.ravel(size)) == {3} and {*np.concatenate(steps)} == {1} and min(sides) > WIDE
    )


def _column_and_vector(op: Op, shapes: Sequence[Shape]) -> Sequence[int]:
    """Which operands are a column and a vector as long, if the op broadcasts them; none otherwise.

    The result is square, and a gradient that is summed along the wrong axis of it fits its operand all the same.
    """
    is_broadcast = Trait.ELEMENTWISE in op.traits or (Trait.LOSS in op.traits and op.is_differentiable(1))
    columns = {s[0]: i for i, s in enumerate(shapes) if len(s) == 2 and s[1] == 1 < s[0]}
    vectors = {s[0]: i for i, s in enumerate(shapes) if len(s) == 1}
    found = [(columns[n], vectors[n]) for n in columns if n in vectors]
    return found[0] if found and is_broadcast else ()


def _is_summed_long(shape: Shape, shapes: Sequence[Shape]) -> bool:
    """Whether an entry is copied along an axis that is longer than a block of threads, counted from the back."""
    own = (*reversed(shape), *(1 for _ in range(max(map(len, shapes)) - len(shape))))
    others = [(*reversed(other), *(1 for _ in range(len(own) - len(other)))) for other in shapes]
    return any(n == 1 and max(sizes) > THREADS for n, *sizes in zip(own, *others, strict=True))


def longer(shapes: Sequence[Shape]) -> str:
    """Which of the first two shapes is longer, along the last axis but the columns in which they differ, if any."""
    pairs = list(zip(shapes[0][-2::-1], shapes[1][-2::-1], strict=False))
    first, second = next(((m, n) for m, n in pairs if m != n), (0, 0))
    return "the first longer" if first > second else "the second longer" if second > first else "as long"


def _is_stretched(shape: Shape, shapes: Sequence[Shape]) -> bool:
    """Whether an axis of size 1 meets a longer one, counted from the back."""
    own = enumerate(reversed(shape))
    return any(n == 1 and any(len(s) > i and s[-1 - i] != 1 for s in shapes) for i, n in own)


def both_long(first: Shape, second: Shape) -> str:
    """Which axis of two operands is longer than a block in both; nothing where none is."""
    ends = list(zip(reversed(first), reversed(second), strict=False))
    places = [place for place, sizes in enumerate(ends) if min(sizes) > BLOCK]
    return " and ".join(("the last", "the one before", "of a stack")[min(2, place)] for place in places)
