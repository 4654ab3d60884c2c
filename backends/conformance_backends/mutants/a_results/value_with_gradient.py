"""Mutants whose value with the gradients is another, or whose auxiliary results are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from conformance.backend import Function
from conformance_backends.mutants.mutant import Mutant, SteppedTape, behaviour
from conformance_backends.numpy_engine.structures import arrays_in, rebuilt
from conformance_backends.numpy_engine.tensor import Tensor, detach

Wrt = int | tuple[int, ...]
Answer = tuple[Any, Any, Any]

right = SteppedTape.value_and_gradient
POSITIONS = "contract/A24/positions"


def in_ascending_order(
    self: Any, function: Function, arrays: Sequence[Any], wrt: Wrt, *, auxiliary: bool = False
) -> Answer:
    """The gradients are in the order of the operands."""
    ordered = wrt if isinstance(wrt, int) else tuple(sorted(wrt))
    return right(self, function, arrays, ordered, auxiliary=auxiliary)


def in_inverse_order(
    self: Any, function: Function, arrays: Sequence[Any], wrt: Wrt, *, auxiliary: bool = False
) -> Answer:
    """The gradients are computed in the order of the operands, and put back by the order that sorts the positions."""
    if isinstance(wrt, int) or sorted(wrt) != list(range(len(wrt))):
        return right(self, function, arrays, wrt, auxiliary=auxiliary)
    value, gradients, others = right(self, function, arrays, tuple(sorted(wrt)), auxiliary=auxiliary)
    order = sorted(range(len(wrt)), key=wrt.__getitem__)
    return value, tuple(gradients[i] for i in order), others


def in_ascending_order_beside_others(
    self: Any, function: Function, arrays: Sequence[Any], wrt: Wrt, *, auxiliary: bool = False
) -> Answer:
    """Where there are auxiliary results the gradients are in the order of the operands."""
    way = in_ascending_order if auxiliary else right
    answer: Answer = way(self, function, arrays, wrt, auxiliary=auxiliary)
    return answer


def negative_ascending_beside_others(
    self: Any, function: Any, arrays: Any, wrt: Any, *, auxiliary: bool = False
) -> Any:
    """Where there are auxiliary results and a position is negative, the gradients are in the order of the operands."""
    if auxiliary and isinstance(wrt, tuple) and any(i < 0 for i in wrt):
        wrt = tuple(sorted(i % len(arrays) for i in wrt))
    return SteppedTape.value_and_gradient(self, function, arrays, wrt, auxiliary=auxiliary)


def one_gradient_alone(
    self: Any, function: Function, arrays: Sequence[Any], wrt: Wrt, *, auxiliary: bool = False
) -> Answer:
    """A tuple of one gradient is the gradient."""
    value, gradients, others = right(self, function, arrays, wrt, auxiliary=auxiliary)
    is_one = isinstance(gradients, tuple) and len(gradients) == 1
    return value, gradients[0] if is_one else gradients, others


def last_of_the_same(
    self: Any, function: Function, arrays: Sequence[Any], wrt: Wrt, *, auxiliary: bool = False
) -> Answer:
    """Of a position that is named twice the last one has the gradient, the others zeros."""
    if isinstance(wrt, int) or len(set(wrt)) == len(wrt):
        return right(self, function, arrays, wrt, auxiliary=auxiliary)
    value, gradients, others = right(self, function, arrays, tuple(dict.fromkeys(wrt)), auxiliary=auxiliary)
    found = dict(zip(dict.fromkeys(wrt), gradients, strict=True))
    last = [position not in wrt[place + 1 :] for place, position in enumerate(wrt)]
    kept = [found[i] if is_last else found[i] * 0 for i, is_last in zip(wrt, last, strict=True)]
    return value, tuple(kept), others


def beyond_is_the_last(
    self: Any, function: Function, arrays: Sequence[Any], wrt: Wrt, *, auxiliary: bool = False
) -> Answer:
    """A position beyond the operands is the last one."""
    most = len(arrays) - 1
    within = min(wrt, most) if isinstance(wrt, int) else tuple(dict.fromkeys(min(i, most) for i in wrt))
    return right(self, function, arrays, within, auxiliary=auxiliary)


def value_a_digit_off(
    self: Any, function: Function, arrays: Sequence[Any], wrt: Wrt, *, auxiliary: bool = False
) -> Answer:
    """The value is the next number."""
    value, gradients, others = right(self, function, arrays, wrt, auxiliary=auxiliary)
    return Tensor(np.nextafter(value.value, np.inf)), gradients, others


def added_to_the_value(
    self: Any, function: Function, arrays: Sequence[Any], wrt: Wrt, *, auxiliary: bool = False
) -> Answer:
    """The sum of the auxiliary results has a gradient, too."""
    value, gradients, others = right(self, function, arrays, wrt, auxiliary=auxiliary)
    if auxiliary:

        def everything(*xs: Any) -> Any:
            loss, further = function(*xs)
            return loss + sum((np.sum(a) for a in arrays_in(further) if a.dtype.kind == "f"), 0 * loss)

        gradients = right(self, everything, arrays, wrt)[1]
    return value, gradients, others


def handed_on_in_double(
    self: Any, function: Function, arrays: Sequence[Any], wrt: Wrt, *, auxiliary: bool = False
) -> Answer:
    """Auxiliary results are of double precision."""
    value, gradients, others = right(self, function, arrays, wrt, auxiliary=auxiliary)
    made = iter([Tensor(detach(x).astype("float64")) for x in arrays_in(others)]) if auxiliary else None
    return value, gradients, rebuilt(others, made) if made else others


def handed_on_flat(
    self: Any, function: Function, arrays: Sequence[Any], wrt: Wrt, *, auxiliary: bool = False
) -> Answer:
    """Lists of auxiliary results are tuples."""
    value, gradients, others = right(self, function, arrays, wrt, auxiliary=auxiliary)
    return value, gradients, _tuples(others) if auxiliary else others


def _tuples(structure: Any) -> Any:
    if isinstance(structure, dict):
        return {key: _tuples(part) for key, part in structure.items()}
    return tuple(map(_tuples, structure)) if isinstance(structure, (list, tuple)) else structure


def with_history(
    self: Any, function: Function, arrays: Sequence[Any], wrt: Wrt, *, auxiliary: bool = False
) -> Answer:
    """Auxiliary results keep the history that the gradient was computed from."""
    kept: list[Any] = []

    def noted(*xs: Any) -> Any:
        output = function(*xs)
        if auxiliary:
            kept[:] = [output[1]]
        return output

    value, gradients, others = right(self, noted, arrays, wrt, auxiliary=auxiliary)
    return value, gradients, kept[0] if auxiliary else others


def constants(
    self: Any, function: Function, arrays: Sequence[Any], wrt: Wrt, *, auxiliary: bool = False
) -> Answer:
    """Gradients and auxiliary results are constants, also inside a function that is differentiated."""
    value, gradients, others = right(self, function, arrays, wrt, auxiliary=auxiliary)
    return (
        value,
        rebuilt(gradients, iter([Tensor(detach(x)) for x in arrays_in(gradients)])),
        rebuilt(others, iter([Tensor(detach(x)) for x in arrays_in(others)])) if auxiliary else others,
    )


MUTANTS: tuple[Mutant, ...] = (
    behaviour("gradients-in-ascending-order", "The gradients with a value are in the order of the operands.",
        (POSITIONS,), value_and_gradient=in_ascending_order),
    behaviour("gradients-in-inverse-order", "The gradients of several positions are put back in the inverse of their order.",
        (POSITIONS,), value_and_gradient=in_inverse_order),
    behaviour("tuple-of-one-gradient-alone", "The gradient by a tuple of one position is no tuple.",
        (POSITIONS,), value_and_gradient=one_gradient_alone),
    behaviour("position-twice-once", "Of a position that is named twice the last one has the gradient.",
        ("contract/A24/odd-positions",), value_and_gradient=last_of_the_same),
    behaviour("position-beyond-is-last", "A position beyond the operands is the last one.",
        ("contract/A24/odd-positions",), value_and_gradient=beyond_is_the_last),
    behaviour("negative-ascending-beside-others", "With auxiliary results and a negative position, gradients are in the order of the operands.",
        ("contract/A24/odd-positions",), value_and_gradient=negative_ascending_beside_others),
    behaviour("value-with-gradient-off", "The value that comes with the gradients is the next number.",
        ("contract/A24/same-as-alone",), value_and_gradient=value_a_digit_off),
    behaviour("ascending-order-beside-others", "Where there are auxiliary results the gradients are in the order of the operands.",
        ("contract/A24/auxiliary",), value_and_gradient=in_ascending_order_beside_others),
    behaviour("auxiliary-in-the-gradient", "Auxiliary results are a part of what is differentiated.",
        ("contract/A24/auxiliary",), value_and_gradient=added_to_the_value),
    behaviour("auxiliary-in-double", "Auxiliary results are of double precision.",
        ("contract/A24/auxiliary",), value_and_gradient=handed_on_in_double),
    behaviour("auxiliary-flat", "Lists of auxiliary results are tuples.", ("contract/A24/auxiliary",), value_and_gradient=handed_on_flat),
    behaviour("auxiliary-with-history", "Auxiliary results can be differentiated by what the gradient was computed from.",
        ("contract/A24/auxiliary-constant",), value_and_gradient=with_history),
    behaviour("value-with-gradient-constant", "The gradient with a value, and auxiliary results, have no derivative.",
        ("contract/A24/value-second", "contract/A24/auxiliary-second"), value_and_gradient=constants),
)  # fmt: skip
