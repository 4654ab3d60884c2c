"""Chapter E: the gradient of a batch is that of its examples.

Whether an op treats the entries along its leading axis independently is found from its reference and rule, not
kept in a table: the batched operands are those whose slices give the slices of the output.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from conformance.case import Array, Case
from conformance.checks.comparison import hold_close_within_either
from conformance.checks.observation import Answer, Observation, Oracle
from conformance.checks.registry import NotThisCase, op_check
from conformance.dtype import carried
from conformance.errors import Violation
from conformance.kept import kept
from conformance.op import Op, Trait
from conformance.oracle.allowance import reference_vjp
from conformance.values import cotangent, operands

# Relative to the largest entry, in extended precision: another order of summation differs by less, other entries by more.
ROUNDING = 1e-12


def mixes_entries(op: Op) -> bool:
    """Whether an op of one output combines entries of one example, or broadcasts operands against each other."""
    return not op.has_several_outputs and (Trait.ELEMENTWISE not in op.traits or len(op.domains) > 1)


@op_check("E9", "per-example", applies=mixes_entries, compiles=True)
def batch_gradient_is_the_stack_of_its_examples(seen: Observation) -> None:
    """The gradient of a batch is the stack of its examples' gradients, summed where they share an operand."""
    count, batched = batch_of(seen.oracle)
    examples = [_example_alone(seen, batched, i) for i in range(count)]
    for position, index in enumerate(seen.wrt):
        is_batched = index in batched
        joined = _joined([example.gradients[position] for example in examples], is_stack=is_batched)
        whole = seen.answer.gradients[position]
        if whole is None or joined is None:
            _hold_zeros(seen, position, whole, joined)
            continue
        allowed = (2 if is_batched else 1 + count) * seen.expected[position].allowed.max(initial=0.0)
        claim = f"is not {'the stack' if is_batched else 'the sum'} of its {count} examples' gradients"
        bound = np.full(joined.shape, allowed, np.longdouble)

        def derived(position: int = position, is_batched: bool = is_batched) -> Array:
            own = [_allowed_alone(seen, batched, i)[position] for i in range(count)]
            joined = np.concatenate(own) if is_batched else sum(own)
            return np.asarray(seen.expected[position].allowed + joined)

        what = f"{seen.label(position)} {claim}"
        hold_close_within_either(whole, joined, bound, derived, what)


def _joined(parts: Sequence[Array | None], *, is_stack: bool) -> Array | None:
    given = [part for part in parts if part is not None]
    if len(given) < len(parts):
        return None
    return np.concatenate(given) if is_stack else np.array(np.sum(given, axis=0, dtype=np.longdouble))


def _hold_zeros(seen: Observation, position: int, *gradients: Array | None) -> None:
    """Claim that a gradient beside None is zeros, for which None stands."""
    for gradient in gradients:
        if gradient is not None and gradient.any():
            raise Violation(f"{seen.label(position)} is None for the batch or an example, but not for both")


def batch_of(oracle: Oracle) -> tuple[int, tuple[int, ...]]:
    """The number of examples, and the indices of the batched operands; NotThisCase where there is no batch."""
    count = oracle.case.cotangents[0].shape[0] if oracle.case.cotangents[0].ndim else 0
    if count < 2 or not oracle.case.cotangents[0].size:
        raise NotThisCase("there is no batch of two examples")
    batched = _batched(oracle.op, oracle.case)
    if not batched:
        raise NotThisCase("the leading axis is not a batch axis")
    return count, batched


@kept()
def _batched(op: Op, case: Case) -> tuple[int, ...]:
    """The most operands whose leading axis is one of examples; none where it is not a batch axis.

    The case's own operands must be examples too: a maximum with what is sent to one place is that of all places alike
    where it is small everywhere. Elementwise ops align their operands from the last axis on: nothing needs to be tried.
    """
    if Trait.ELEMENTWISE in op.traits:
        whole = case.cotangents[0]
        return tuple(i for i, x in enumerate(case.operands) if x.ndim == whole.ndim and len(x) == len(whole))
    oracle = Oracle(op, case)
    given, g = _nonzero_inputs(oracle)
    candidates = [i for i, x in enumerate(given) if x.ndim and len(x) == len(g)]
    for size in range(len(candidates), 0, -1):
        for batched in combinations(candidates, size):
            drawn = are_batched(oracle, given, g, batched)
            if drawn and are_batched(oracle, case.operands, case.cotangents[0], batched):
                return batched
    return ()


def _nonzero_inputs(oracle: Oracle) -> tuple[list[Array], Array]:
    """Operands and a cotangent shaped as those of the case, none of them zero: all slices of zeros are equal."""
    given, rng = oracle.case.operands, np.random.default_rng(0)
    real = [i for i in range(len(given)) if oracle.op.is_differentiable(i)]
    domains = [oracle.op.domain(i) for i in real]
    drawn = iter(operands(domains, [given[i].shape for i in real], "float64", "full", rng))
    replaced = [next(drawn) if i in real else x for i, x in enumerate(given)]
    return replaced, cotangent(oracle.case.cotangents[0].shape, "float64", "full", rng)


def are_batched(oracle: Oracle, given: Sequence[Array], g: Array, batched: Sequence[int]) -> bool:
    """Whether the value and the gradients of the reference for the batch are those of its examples."""
    try:
        whole, *parts = (
            _reference(oracle, *inputs)
            for inputs in (
                (given, g),
                *((sliced(given, batched, i), example_of(g, i)) for i in range(len(g))),
            )
        )
    except (ValueError, IndexError, TypeError, ZeroDivisionError):
        return False  # the parameters fit the whole batch only
    is_joined = (True, *(index in batched for index in oracle.wrt))
    return all(
        _agree(full, [part[k] for part in parts], is_stack=is_stack)
        for k, (full, is_stack) in enumerate(zip(whole, is_joined, strict=True))
    )


def _agree(whole: Array, parts: Sequence[Array], *, is_stack: bool) -> bool:
    if any(part.shape != (1, *whole.shape[1:]) if is_stack else part.shape != whole.shape for part in parts):
        return False
    joined = np.concatenate(parts) if is_stack else sum(parts)
    return bool((np.abs(whole - joined) <= ROUNDING * np.abs(whole).max(initial=1.0)).all())


def _reference(oracle: Oracle, operands: Sequence[Array], cotangent: Array) -> list[Array]:
    """The reference value and gradients in extended precision."""
    plain = carried((*operands, cotangent))
    inputs = [x.astype(np.longdouble) if x.dtype.kind == "f" else x for x in plain]
    value = oracle.op.reference(*inputs[:-1], **oracle.case.parameters)
    return [np.asarray(x) for x in (value, *reference_vjp(oracle.op, oracle.case, oracle.wrt)(inputs))]


def example_of(array: Array, example: int) -> Array:
    """One example, its axis kept, so that parameters still name the same axes."""
    return np.array(array[example : example + 1])


def sliced(given: Sequence[Array], batched: Sequence[int], example: int) -> list[Array]:
    """The operands of one example."""
    return [example_of(x, example) if i in batched else np.array(x) for i, x in enumerate(given)]


def _allowed_alone(seen: Observation, batched: Sequence[int], example: int) -> list[Array]:
    cotangents = [example_of(g, example) for g in seen.case.cotangents]
    return seen.allowed_for(operands=sliced(seen.case.operands, batched, example), cotangents=cotangents)


def _example_alone(seen: Observation, batched: Sequence[int], example: int) -> Answer:
    cotangents = [example_of(g, example) for g in seen.case.cotangents]
    return seen.vjp(operands=sliced(seen.case.operands, batched, example), cotangents=cotangents)
