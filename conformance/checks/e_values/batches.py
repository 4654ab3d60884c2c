"""Chapter E: a batch is its examples.

Whether an op treats the entries along its leading axis alone is asked of its row, rather than
kept in a table: the operands that carry the batch are those whose slices give the output's slices.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from conformance.case import Array
from conformance.checks.observation import Answer, Observation, hold_close
from conformance.checks.registry import NotThisCase, op_check
from conformance.errors import Violation
from conformance.op import Op, Trait
from conformance.oracle.allowance import reference_vjp
from conformance.values import cotangent, operands

# Of the largest entry, in extended precision: sums in another order differ by less, other entries by more.
ROUNDING = 1e-12


def _mixes_entries(op: Op) -> bool:
    """Whether an example of a batch has an inside; of the others, those of several operands broadcast."""
    return Trait.ELEMENTWISE not in op.traits or len(op.domains) > 1


@op_check("E9", "per-example", applies=_mixes_entries, sparing=True)
def batch_gradient_is_the_stack_of_its_examples(seen: Observation) -> None:
    """The gradient of a batch is the stack of its examples' gradients, summed where they share an operand."""
    count, carriers = _batch_of(seen)
    examples = [_asked_alone(seen, carriers, i) for i in range(count)]
    for position, index in enumerate(seen.wrt):
        is_carrier = index in carriers
        joined = _joined([example.gradients[position] for example in examples], is_stack=is_carrier)
        whole = seen.answer.gradients[position]
        if whole is None or joined is None:
            _hold_zeros(seen, position, whole, joined)
            continue
        allowed = (2 if is_carrier else 1 + count) * seen.expected[position].allowed.max(initial=0.0)
        told = f"is not {'the stack' if is_carrier else 'the sum'} of its {count} examples' gradients"
        bound = np.full(joined.shape, allowed, np.longdouble)
        hold_close(whole, joined, bound, f"{seen.label(position)} {told}")


def _joined(parts: Sequence[Array | None], *, is_stack: bool) -> Array | None:
    given = [part for part in parts if part is not None]
    if len(given) < len(parts):
        return None
    return np.concatenate(given) if is_stack else np.array(np.sum(given, axis=0, dtype=np.longdouble))


def _hold_zeros(seen: Observation, position: int, *gradients: Array | None) -> None:
    """None stands for zeros, so whoever gave an array gave zeros."""
    for gradient in gradients:
        if gradient is not None and gradient.any():
            raise Violation(f"{seen.label(position)} is None for the batch or an example, but not for both")


def _batch_of(seen: Observation) -> tuple[int, tuple[int, ...]]:
    """How many examples there are, and which operands carry them; NotThisCase where there is no batch."""
    if seen.op.has_several_outputs:
        raise NotThisCase("the op has several outputs")
    count = seen.case.cotangents[0].shape[0] if seen.case.cotangents[0].ndim else 0
    if count < 2 or not seen.case.cotangents[0].size:
        raise NotThisCase("there is no batch of two examples")
    given, g = _of_its_kind(seen)
    candidates = [i for i, x in enumerate(given) if x.ndim and len(x) == count]
    for size in range(len(candidates), 0, -1):
        for carriers in combinations(candidates, size):
            if _are_carriers(seen, given, g, carriers):
                return count, carriers
    raise NotThisCase("the leading axis is not one of examples")


def _of_its_kind(seen: Observation) -> tuple[list[Array], Array]:
    """Operands and a cotangent as those of the case, none of them zero: of zeros, every cut gives the same."""
    given, rng = seen.case.operands, np.random.default_rng(0)
    domains = [seen.op.domain(i) for i in seen.wrt]
    drawn = iter(operands(domains, [given[i].shape for i in seen.wrt], "float64", "full", rng))
    kind = [next(drawn) if i in seen.wrt else x for i, x in enumerate(given)]
    return kind, cotangent(seen.case.cotangents[0].shape, "float64", "full", rng)


def _are_carriers(seen: Observation, given: Sequence[Array], g: Array, carriers: Sequence[int]) -> bool:
    """Whether the textbook's value and gradients of the batch are those of its examples."""
    try:
        whole, *parts = (
            _textbook(seen, *inputs)
            for inputs in (
                (given, g),
                *((_sliced(given, carriers, i), _cut(g, i)) for i in range(len(g))),
            )
        )
    except (ValueError, IndexError, TypeError):
        return False  # the parameters speak of the whole
    is_joined = (True, *(index in carriers for index in seen.wrt))
    return all(
        _agree(full, [part[k] for part in parts], is_stack=is_stack)
        for k, (full, is_stack) in enumerate(zip(whole, is_joined, strict=True))
    )


def _agree(whole: Array, parts: Sequence[Array], *, is_stack: bool) -> bool:
    if any(part.shape != (1, *whole.shape[1:]) if is_stack else part.shape != whole.shape for part in parts):
        return False
    joined = np.concatenate(parts) if is_stack else sum(parts)
    return bool((np.abs(whole - joined) <= ROUNDING * np.abs(whole).max(initial=1.0)).all())


def _textbook(seen: Observation, operands: Sequence[Array], cotangent: Array) -> list[Array]:
    """The value and the gradients in extended precision."""
    inputs = [x.astype(np.longdouble) if x.dtype.kind == "f" else x for x in (*operands, cotangent)]
    value = seen.op.reference(*inputs[:-1], **seen.case.parameters)
    return [np.asarray(x) for x in (value, *reference_vjp(seen.op, seen.case, seen.wrt)(inputs))]


def _cut(array: Array, example: int) -> Array:
    """One example, its axis kept, so that parameters still name the same axes."""
    return np.array(array[example : example + 1])


def _sliced(given: Sequence[Array], carriers: Sequence[int], example: int) -> list[Array]:
    return [_cut(x, example) if i in carriers else np.array(x) for i, x in enumerate(given)]


def _asked_alone(seen: Observation, carriers: Sequence[int], example: int) -> Answer:
    cotangents = [_cut(g, example) for g in seen.case.cotangents]
    return seen.ask(operands=_sliced(seen.case.operands, carriers, example), cotangents=cotangents)
