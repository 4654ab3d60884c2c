"""The factors of a row and the level it takes of each, read off the row itself.

A level is a word. Every parameter is a factor, its form the level: `axis=-1` of a matrix is "last, from the back".
Factors of shapes are shared by a family of ops, as are `axis` and `keepdims`; other parameters are an op's own.

Where all axes are equal, an engine that takes one for another makes no error of shape. So what tells axes apart, the
`axis` and how shapes lie beside each other, is a factor a second time there.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache, partial
from itertools import groupby
from typing import Any

import numpy as np

from conformance.design.cover import Codes
from conformance.design.cover import Levels as Numbers
from conformance.design.relations import (
    ALIKE,
    BLOCK,
    THREADS,
    Relations,
    both_long,
    by_operand,
    longer,
    matrix_and_stacks,
    relations_of,
    vector_and_stack,
)
from conformance.design.rows import Row, rows_of
from conformance.design.windows import parameters_together
from conformance.kept import kept
from conformance.op import Op, Shape, Signature, Trait

Levels = dict[str, str]
AXES = frozenset({"axis", "axis1", "axis2", "source", "destination", "axes"})
SHARED_PARAMETERS = AXES | {"keepdims", "reduction"}
STACK = 4  # the rank from which on there are several axes of a batch
LOOKED_AT = 3  # operands of one call whose long axes are factors
SEVERAL = 4  # the length up to which an axis is short
MANY = 5  # operands, whose shapes are no factors any more
NEEDS = "needs a gradient"  # the factor of which operands do
LONG = 12  # a written value longer than this is distinguished by its form


def levels_of(op: Op, row: Row) -> Levels:
    """The level of every factor that applies to the op."""
    before, (own,), after = next(_grouped(op, [row]))
    return before | own | after


def _grouped(op: Op, rows: Iterable[Row]) -> Iterator[tuple[Levels, list[Levels], Levels]]:
    """The levels of rows; what their shapes, or the signature, alone decide is found once for all that have them."""
    of_shapes = lru_cache(maxsize=None)(partial(_levels_of_shapes, op))
    of_several = lru_cache(maxsize=None)(partial(_levels_of_several, op))
    for _, group in groupby(rows, key=lambda row: id(row.signature)):
        alike = list(group)
        signature = alike[0].signature
        shapes = signature.shapes
        where = ", axes equal" if is_square(shapes) else ""
        relations, pairs = of_several(shapes, where)
        of_needs = {**relations, **by_operand(op, signature)}
        others = pairs | _levels_of_parameters(op, signature, where)
        constants = [i for i in range(len(shapes)) if not op.is_differentiable(i)]  # which need none
        each = []
        for row in alike:
            needed = range(len(shapes)) if row.wrt is None else (*row.wrt, *constants)
            own = {factor: level for factor, (i, level) in of_needs.items() if i in needed}
            if len(shapes) > 1:
                own[NEEDS] = "each" if row.wrt is None else " ".join(map(str, row.wrt))
            each.append(own)
        yield of_shapes(shapes, where), each, others


def _levels_of_several(op: Op, shapes: Sequence[Shape], where: str) -> tuple[Relations, Levels]:
    """How the operands lie beside each other: for those that need a gradient, and for all."""
    relations = relations_of(op, shapes, where) if 1 < len(shapes) < MANY else {}
    return {**relations, **_vectors(op, shapes)}, _levels_of_pairs(op, shapes)


def _levels_of_shapes(op: Op, shapes: Sequence[Shape], where: str) -> Levels:
    """The levels of the operands' sizes, each for itself."""
    found = {
        "rank": str(max((len(s) for s in shapes), default=0)),
        "longest axis": _size_class(max((n for s in shapes for n in s), default=1)),
        "empty axis": _position_of(0, shapes),
        "axis of size 1": _position_of(1, shapes),
    }
    if (
        1 < len(shapes) < MANY and not op.traits & ALIKE
    ):  # the op's own: each puts rows and batches together in its way
        long = {f"{op.name} long axis of {i}": _long_axis(s) for i, s in enumerate(shapes[:LOOKED_AT])}
    else:
        long = {"long axis": _long_axis(shapes[0]) if shapes else ""}
    found |= {factor: level for factor, level in long.items() if level}
    if Trait.VARIADIC in op.traits:
        found["operands"] = str(len(shapes))
        if len(shapes) > 1:
            found[f"{op.name} operands alike"] = (
                "all of one shape" if len(set(shapes)) == 1 else "of several shapes"
            )
    if where and (len(shapes) > 1 or Trait.ELEMENTWISE not in op.traits):
        found[f"{op.name} sizes"] = _equal(op, shapes)  # the op's own: each takes axes for others in its way
    return found


def _levels_of_pairs(op: Op, shapes: Sequence[Shape]) -> Levels:
    """What the op's operands are beside each other, as vectors, matrices or stacks: each is computed in its own way."""
    if _is_alike(op, shapes):
        return {}
    found = {f"{op.name} rank {i}": str(min(len(shape), STACK)) for i, shape in enumerate(shapes)}
    long = both_long(*shapes[:2])
    return found | ({f"{op.name} both long": long} if long else {})


def _vectors(op: Op, shapes: Sequence[Shape]) -> Relations:
    if _is_alike(op, shapes):
        return {}
    return {**vector_and_stack(op, *shapes[:2]), **matrix_and_stacks(op, *shapes[:2])}


def _is_alike(op: Op, shapes: Sequence[Shape]) -> bool:
    """Whether the op treats operands of all ranks alike, or has them in one rank alone."""
    return not 1 < len(shapes) < MANY or op.is_flat or bool(op.traits & ALIKE)


def _levels_of_parameters(op: Op, signature: Signature, where: str) -> Levels:
    """The forms of the parameters, an axis by its place in the first shape."""
    found: Levels = {}
    shapes, parameters = signature.shapes, signature.parameters
    rank = len(shapes[0]) if shapes else 0
    for name, value in parameters.items():
        form = _axis_form(value, rank) if name in AXES else _form(value)
        found[name if name in SHARED_PARAMETERS else f"{op.name} {name}"] = form
        if _is_switch(value) and len(shapes) > 1 and name not in SHARED_PARAMETERS:
            # What a switch does often depends on which operand is the longer one.
            found[f"{op.name} {name}, lengths"] = f"{form}, {longer(shapes)}"
        if name in AXES:
            found[f"{name}{where}"] = form
    found |= {f"{op.name} {pair}": level for pair, level in parameters_together(signature).items()}
    if "axis" in parameters:
        if where and len(shapes) > 1 and len(set(shapes)) == 1:
            found["axis, all shapes equal"] = found["axis"]
        if level := _long_row(parameters["axis"], shapes[0]):
            found["row longer than a block of threads"] = level
        if "keepdims" in parameters and rank > STACK and not op.is_flat:  # which sends nothing back
            found[f"{op.name} kept of many axes"] = _kept(parameters["axis"], shapes[0])
    return found


@lru_cache(maxsize=512)
def encoded(op: Op) -> tuple[Codes, Numbers]:
    """The levels of all rows of an op, as numbers of the op's own, and these numbers."""
    codes, named = _encoded(op)
    return codes, Numbers((factor, level) for factor, level in named)


@kept(is_shared=True)
def _encoded(op: Op) -> tuple[Codes, list[list[str]]]:
    """The numbers that `encoded` gives, and the factor and level of each: every seed and every engine that compiles needs them again."""
    numbers = Numbers()
    codes = numbers.encode_alike(list(_grouped(op, rows_of(op))))
    return codes, [list(each) for each in numbers.numbers]


def is_own(op: Op, factor: str) -> bool:
    """Whether a factor is a parameter that its family does not share."""
    return factor.startswith(f"{op.name} ")


def is_switch(level: str) -> bool:
    """Whether a level is the form of a truth value or of a word."""
    return level in ("True", "False") or (level[:1] == level[-1:] == "'" and level[1:-1].isalpha())


def _position_of(size: int, shapes: Sequence[Shape]) -> str:
    """Where an axis of that size stands in the shape that has most of them: none, first, middle, last, each."""
    shape = max(shapes, key=lambda s: (s.count(size), len(s)), default=())
    places = [i for i, n in enumerate(shape) if n == size]
    if not places:
        return "none"
    if len(places) == len(shape):
        return "each" if len(shape) > 1 else "only"
    words = {"first" if i == 0 else "last" if i == len(shape) - 1 else "middle" for i in places}
    return " and ".join(sorted(words))


def is_square(shapes: Sequence[Shape]) -> bool:
    """Whether there are axes that could be taken for each other: all that are longer than 1 are equally long.

    They may be those of different operands, as where a column meets a row.
    """
    sizes = {n for shape in shapes for n in shape if n != 1}
    places = {place for shape in shapes for place, n in enumerate(reversed(shape)) if n != 1}
    return len(sizes) == 1 and sizes != {0} and len(places) > 1


def _kept(axis: int | tuple[int, ...] | None, shape: Shape) -> str:
    """Which axes of several entries a reduction leaves: the last, others alone, or none."""
    reduced = range(len(shape)) if axis is None else [a % len(shape) for a in np.ravel(axis).astype(int)]
    kept = [place for place, size in enumerate(shape) if size > 1 and place not in reduced]
    return "none" if not kept else "the last" if kept[-1] == len(shape) - 1 else "others"


def _equal(op: Op, shapes: Sequence[Shape]) -> str:
    """Of operands whose sizes are equal: how many axes the first have, or that their length exceeds a block."""
    longest = max(n for shape in shapes for n in shape)
    seen = shapes[: 1 if op.traits & ALIKE else 2]
    ranks = dict.fromkeys(str(min(len(shape), STACK)) for shape in seen)
    return "equal, many" if longest > BLOCK else f"equal, of rank {' and '.join(ranks)}"


def _size_class(size: int) -> str:
    """A size up to 3 itself, then the power of two that it reaches, and how it lies beside it."""
    if size <= 3:
        return str(size)
    power = 1 << (size.bit_length() - 1)
    return f"{power} and more" if size > power + 1 else str(power) if size == power else f"{power} + 1"


def _long_axis(shape: Shape) -> str:
    """How long the longest axis is, and where it stands counted from the back, beyond a matrix as a stack; nothing where all are short."""
    longest = max(shape, default=0)
    if longest <= SEVERAL:
        return ""
    limits = ((BLOCK, "several"), (BLOCK**2 // SEVERAL, "many"), (BLOCK**2, "very many"))
    word = next((word for limit, word in limits if longest <= limit), "hundreds")
    return f"{word}, {('the last', 'the one before', 'of a stack')[min(2, shape[::-1].index(longest))]}"


def _long_row(axis: Any, shape: Shape) -> str:
    """Which axis, or whether all, has more entries than a block of threads; nothing where it has fewer."""
    ndim = len(shape)
    if isinstance(axis, tuple) or (axis is not None and not -ndim <= axis < ndim):  # several, or a new one
        return ""
    if (math.prod(shape) if axis is None else shape[axis]) <= THREADS:
        return ""
    if axis is None:
        return "whole"
    return "only" if ndim == 1 else "last" if axis % ndim == ndim - 1 else "not the last"


def _is_switch(value: Any) -> bool:
    """Whether a parameter chooses between ways to compute: a truth value, or a word such as "same", but no `ij,jk->ik`."""
    return isinstance(value, bool) or (isinstance(value, str) and value.isalpha())


def _axis_form(value: Any, rank: int) -> str:
    if isinstance(value, (tuple, list)):
        if not all(isinstance(axis, int) for axis in value):
            return _form(value)
        if not value:
            return "()"
        signs = {"back" if axis < 0 else "front" for axis in value}
        order = [axis % max(rank, 1) for axis in value]
        how = "ordered" if order == sorted(order) else "unordered"
        count = "each" if len(value) == rank else str(len(value))
        return f"{count} of the axes, {how}, from {' and '.join(sorted(signs))}"
    if not isinstance(value, (int, np.integer)) or isinstance(value, bool):
        return repr(value)
    place = int(value) % max(rank, 1)
    word = "only" if rank == 1 else "first" if place == 0 else "last" if place == rank - 1 else "middle"
    return f"{word}, from the {'back' if value < 0 else 'front'}"


def _form(value: Any) -> str:
    """A parameter's value where it is short, else the forms of its parts."""
    if isinstance(value, np.ndarray):
        return f"array {value.dtype.kind}{value.ndim}{' repeating' if _repeats(value) else ''}"
    if isinstance(value, slice):
        return "slice " + " ".join("-" if x is None else "+" if x >= 0 else "−" for x in _ends(value))
    if isinstance(value, list) and len(value) > BLOCK**2:
        return f"list of {len(value)}"
    written = repr(value)
    if not isinstance(value, (tuple, list)) or (len(written) <= LONG and not _has_array(value)):
        return written
    return f"{type(value).__name__}({', '.join(map(_part, value))})"


def _part(value: Any) -> str:
    if isinstance(value, (int, np.integer)) and not isinstance(value, bool):
        return "+" if value > 0 else "−" if value < 0 else "0"
    return _form(value)


def _ends(value: slice) -> tuple[Any, Any, Any]:
    return value.start, value.stop, value.step


def _has_array(value: Sequence[Any]) -> bool:
    return any(isinstance(part, np.ndarray) for part in value)


def _repeats(value: np.ndarray[Any, Any]) -> bool:
    return value.dtype.kind in "iu" and len(set(value.ravel().tolist())) < value.size
