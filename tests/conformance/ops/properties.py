"""What holds for a row numerically, from its reference and its rule alone, and how that differs from what it states."""

from __future__ import annotations

import itertools
import warnings
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np

from conformance.case import Case
from conformance.op import Homogeneous, Inverse, Op, Shift, Trait
from conformance.ops import CATALOGUE, find
from conformance.ops.reductions import axes_of
from conformance.ops.unstated import is_unstated
from conformance.oracle.proof import prove
from conformance.oracle.second_order import is_smooth
from conformance.selfcheck.proofs import COMPLEX_DTYPE, COMPLEX_EFFORT, DTYPE, EFFORT
from conformance.strategies import draw_cases
from conformance.values import direction

from .values import operands, random_chooser

SIGNATURES = 24
FACTORS = (0.25, 8.0)  # the larger one brings operands past every kink of the catalogue
SHIFTS = (1.0, -1.5)
CLOSE = 1e-12
SMALL_STEP = 2.0**-12  # crosses no kink: operands stay further away

Arrays = Sequence[Any]
Call = tuple[list[Any], Mapping[str, Any]]


@cache
def calls(op: Op) -> tuple[Call, ...]:
    """Operands in extended precision, and parameters, of calls in which no operand and no output is empty."""
    drawn = []
    for number in range(SIGNATURES):
        seed = zlib.crc32(f"{op.name} {number}".encode())
        signature = op.law(random_chooser(seed))
        arrays = [
            x.astype(np.longdouble) if x.dtype.kind == "f" else x for x in operands(op, signature, seed)
        ]
        if all(x.size for x in arrays) and all(z.size for z in outputs(op, arrays, signature.parameters)):
            drawn.append((arrays, signature.parameters))
    assert drawn
    return tuple(drawn)


def outputs(op: Op, arrays: Arrays, parameters: Mapping[str, Any]) -> list[Any]:
    with np.errstate(all="ignore"):
        z = op.reference(*arrays, **parameters)
    return [np.asarray(part) for part in (z if op.has_several_outputs else (z,))]


def gradients(op: Op, arrays: Arrays, parameters: Mapping[str, Any], **seen: Any) -> list[Any]:
    """The rule's gradients for seeded cotangents; `seen` gives the operands or the output that the rule is shown."""
    z = outputs(op, arrays, parameters)
    rng = np.random.default_rng(7)
    g = [rng.uniform(-2, 2, part.shape).astype(np.longdouble) for part in z]
    shown = seen.get("output", z)
    given = (tuple(g), tuple(shown)) if op.has_several_outputs else (g[0], shown[0])
    with np.errstate(all="ignore"):
        return [
            np.asarray(op.rule(i, *given, *seen.get("operands", arrays), **parameters))
            for i in differentiable(op, len(arrays))
        ]


def differentiable(op: Op, count: int) -> list[int]:
    return [i for i in range(count) if op.is_differentiable(i)]


def are_close(got: Arrays, expected: Arrays) -> bool:
    return all(
        g.shape == e.shape and bool((np.abs(g - e) <= CLOSE * (1 + np.abs(e).max(initial=0))).all())
        for g, e in zip(got, expected, strict=True)
    )


def changed(arrays: Arrays, indices: Sequence[int], change: Callable[[Any], Any]) -> list[Any]:
    return [change(x) if i in indices else x for i, x in enumerate(arrays)]


# ---- traits that hold or not -----------------------------------------------------------------------------


def is_elementwise(op: Op) -> bool:
    """Whether each entry of the output is the op of the corresponding entries of the broadcast operands."""
    if op.has_several_outputs:
        return False
    for arrays, parameters in calls(op):
        try:
            flat = [x.ravel() for x in np.broadcast_arrays(*arrays)]
            (z,) = outputs(op, arrays, parameters)
            each = [outputs(op, [x[i] for x in flat], parameters)[0] for i in range(flat[0].size)]
        except (ValueError, TypeError, IndexError, AttributeError):
            return False
        if (
            z.size != len(each)
            or not all(e.shape == () for e in each)
            or not are_close([z.ravel()], [np.array(each)])
        ):
            return False
    return True


def is_linear(op: Op) -> bool:
    """Whether it is linear in its only differentiable operand."""
    if {len(differentiable(op, len(arrays))) for arrays, _ in calls(op)} != {1}:
        return False
    (index,) = differentiable(op, len(op.domains))
    for arrays, parameters in calls(op):
        other = np.flip(arrays[index] * 3 - 0.5)
        other = other.reshape(arrays[index].shape)
        combined = changed(arrays, [index], lambda x, y=other: 2 * x - 0.5 * y)
        one, two = (
            outputs(op, a, parameters) for a in (arrays, changed(arrays, [index], lambda _, y=other: y))
        )
        if not are_close(
            outputs(op, combined, parameters), [2 * a - 0.5 * b for a, b in zip(one, two, strict=True)]
        ):
            return False
    return True


def is_piecewise_linear(op: Op) -> bool:
    """Whether a small step of all differentiable operands leaves every gradient as it is."""
    rng = np.random.default_rng(0)

    def stepped(x: Any) -> Any:
        return x + SMALL_STEP * rng.uniform(-1, 1, x.shape)

    return all(
        are_close(
            gradients(op, changed(arrays, differentiable(op, len(arrays)), stepped), parameters),
            gradients(op, arrays, parameters),
        )
        for arrays, parameters in calls(op)
    )


def has_real_rule(op: Op) -> bool:
    """Whether no case has a rule that a complex step can differentiate, though the gradients change."""
    return not is_piecewise_linear(op) and not any(map(_is_smooth(op), draw_cases(op, DTYPE, 0, EFFORT)))


def _is_smooth(op: Op) -> Callable[[Case], bool]:
    def smooth(case: Case) -> bool:
        rng = np.random.default_rng(1)
        wrt = differentiable(op, len(case.operands))
        along = [direction(op.domain(i), case.operands[i].shape, case.dtype, rng) for i in wrt]
        has_a_derivative = case.operands[wrt[0]].size and any(np.size(g) for g in case.cotangents)
        return bool(has_a_derivative) and is_smooth(op, case, wrt, along) and _gradients_change(op, case)

    return smooth


def _gradients_change(op: Op, case: Case) -> bool:
    """Whether the gradients of a case are not those of a case beside it, so that there is a second derivative."""
    arrays = [x.astype(np.longdouble) if x.dtype.kind == "f" else x for x in case.operands]
    beside = changed(arrays, differentiable(op, len(arrays)), lambda x: x * (1 + SMALL_STEP))
    return not are_close(gradients(op, beside, case.parameters), gradients(op, arrays, case.parameters))


def is_holomorphic(op: Op) -> bool:
    """Whether its rule is proven at complex operands."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return prove(op, draw_cases(op, COMPLEX_DTYPE, 0, COMPLEX_EFFORT)).holds
        except (TypeError, ValueError, NotImplementedError):
            return False


def is_commutative(op: Op) -> bool:
    """Whether its two operands can be exchanged in every call, bit for bit."""
    if {len(differentiable(op, len(arrays))) for arrays, _ in calls(op)} != {2} or len(op.domains) != 2:
        return False
    try:
        return all(
            np.array_equal(*(outputs(op, a, parameters)[0] for a in (arrays, arrays[::-1])))
            for arrays, parameters in calls(op)
        )
    except ValueError:  # the shapes do not fit the other way round
        return False


def of_reversed(op: Op) -> set[str]:
    """What reversing the operand along its axes does to the values of all calls: "kept", "reversed" or "changed"."""
    found = set()
    for arrays, parameters in calls(op):
        if len(arrays) != 1 or op.has_several_outputs or "axis" not in parameters:
            return {"changed"}
        try:
            axes = axes_of(arrays[0].shape, parameters["axis"])
            if not axes:
                continue
            (z,), (other,) = (outputs(op, [x], parameters) for x in (arrays[0], np.flip(arrays[0], axes)))
            found.add(
                "kept"
                if are_close([other], [z])
                else "reversed"
                if z.shape == arrays[0].shape and are_close([other], [np.flip(z, axes)])
                else "changed"
            )
        except (ValueError, IndexError, ZeroDivisionError, TypeError):
            return {"changed"}
    return found


def has_infinite_slope_at_0(op: Op) -> bool:
    """Whether the rule of an elementwise op of one operand gives an infinite slope at 0."""
    if len(op.domains) > 1 or Trait.ELEMENTWISE not in op.traits:
        return False
    zero, one = np.zeros((), np.longdouble), np.ones((), np.longdouble)
    _, parameters = calls(op)[0]
    (z,) = outputs(op, [zero], parameters)
    with np.errstate(all="ignore"):
        return bool(np.isinf(op.rule(0, one, z, zero, **parameters)).all())


def reads(op: Op, what: str) -> bool:
    """Whether hiding the operands, or the output, from the rule changes a gradient of some call."""

    def hidden(arrays: Arrays) -> list[Any]:
        return [np.full_like(x, np.nan) if x.dtype.kind == "f" else x for x in arrays]

    return any(
        not all(
            map(
                np.array_equal,
                gradients(op, arrays, parameters),
                gradients(op, arrays, parameters, **{what: hidden(source)}),
            )
        )
        for arrays, parameters in calls(op)
        for source in ([arrays] if what == "operands" else [outputs(op, arrays, parameters)])
    )


HOLDS: dict[Trait, Callable[[Op], bool]] = {
    Trait.ELEMENTWISE: is_elementwise,
    Trait.LINEAR: is_linear,
    Trait.REDUCTION: lambda op: all({"axis", "keepdims"} <= set(p) for _, p in calls(op)),
    Trait.LOSS: lambda op: all("reduction" in p for _, p in calls(op)),
    Trait.SEVERAL_OUTPUTS: lambda op: isinstance(op.reference(*calls(op)[0][0], **calls(op)[0][1]), tuple),
    Trait.VARIADIC: lambda op: len({len(arrays) for arrays, _ in calls(op)}) > 1,
    Trait.HOLOMORPHIC: is_holomorphic,
    Trait.PIECEWISE_LINEAR: is_piecewise_linear,
    Trait.REAL_RULE: has_real_rule,
    Trait.COMMUTATIVE: is_commutative,
    Trait.ORDER_INVARIANT: lambda op: of_reversed(op) == {"kept"},
    Trait.ORDER_EQUIVARIANT: lambda op: "reversed" in of_reversed(op) <= {"kept", "reversed"},
    Trait.SAVES_OPERANDS: lambda op: reads(op, "operands"),
    Trait.SAVES_OUTPUT: lambda op: reads(op, "output"),
    Trait.INFINITE_SLOPE_AT_0: has_infinite_slope_at_0,
}
EXAMPLES = (Trait.SAVES_OPERANDS, Trait.SAVES_OUTPUT)  # stated by a few of the rows for which they hold


# ---- traits with a number ----------------------------------------------------------------------------------


def subsets(op: Op) -> list[tuple[int, ...] | None]:
    """The sets of differentiable operands; of a variadic op the first one, and all of them, as None."""
    if Trait.VARIADIC in op.traits:
        return [(0,), None]
    indices = differentiable(op, len(op.domains))
    return [s for n in range(1, len(indices) + 1) for s in itertools.combinations(indices, n)]


def degree(op: Op, of: tuple[int, ...] | None) -> float | None:
    """The degree in which the op is homogeneous in the operands `of`; None where there is none, or no value."""
    found: set[float] = set()
    for arrays, parameters in calls(op):
        z = outputs(op, arrays, parameters)
        for t in FACTORS:
            scaled = outputs(op, changed(arrays, of or range(len(arrays)), lambda x, t=t: x * t), parameters)
            for before, after in zip(z, scaled, strict=True):
                with np.errstate(all="ignore"):
                    powers = np.log(after[before != 0] / before[before != 0]) / np.log(t)
                found |= set(np.round(powers.astype(float), 9))
        if len(found) > 1 or not all(map(np.isfinite, found)):
            return None
    return found.pop() if found else None


def obeys_degree(op: Op, law: Homogeneous) -> bool:
    return all(
        are_close(
            outputs(op, changed(arrays, law.of, lambda x, t=t: x * t), parameters),
            [z * np.longdouble(t) ** law.degree for z in outputs(op, arrays, parameters)],
        )
        for arrays, parameters in calls(op)
        for t in (0.25, 0.5)
    )


def gain(op: Op, of: tuple[int, ...] | None) -> float | None:
    """By how much the values shift with the operands `of`; None where they do not."""
    found: set[float] = set()
    for arrays, parameters in calls(op):
        z = outputs(op, arrays, parameters)
        for c in SHIFTS:
            shifted = outputs(op, changed(arrays, of or range(len(arrays)), lambda x, c=c: x + c), parameters)
            for before, after in zip(z, shifted, strict=True):
                found |= set(np.round(((after - before) / c).astype(float).ravel(), 9) + 0.0)
        if len(found) > 1 or not all(map(np.isfinite, found)):
            return None
    return found.pop()


def obeys_shift(op: Op, law: Shift) -> bool:
    """Whether the law holds, for one operand with another number for each slice along its axes."""
    rng = np.random.default_rng(5)
    for arrays, parameters in calls(op):
        c, arrived = np.longdouble(0.5), np.longdouble(0.5)
        if len(law.of) == 1:
            x = arrays[law.of[0]]
            axes = axes_of(x.shape, parameters.get("axis", -1))
            if not axes:
                continue
            c = rng.uniform(0.25, 0.5, [1 if a in axes else n for a, n in enumerate(x.shape)])
            (z,) = outputs(op, arrays, parameters)
            if law.gain:
                arrived = np.broadcast_to(c, z.shape) if z.ndim == x.ndim else np.squeeze(c, axes)
        after = outputs(op, changed(arrays, law.of, lambda x, c=c: x + c), parameters)
        if not are_close(after, [z + law.gain * arrived for z in outputs(op, arrays, parameters)]):
            return False
    return True


def is_affine(op: Op, of: tuple[int, ...] | None) -> bool:
    """Whether f(x + v) + f(x − v) = 2 f(x) for a large v: then a shift says no more than the rule's constant."""
    rng = np.random.default_rng(6)
    for arrays, parameters in calls(op):
        v = [rng.uniform(-9, 9, x.shape) if x.dtype.kind == "f" else x for x in arrays]
        chosen = of or range(len(arrays))
        up, down = (
            [x + s * d if i in chosen else x for i, (x, d) in enumerate(zip(arrays, v, strict=True))]
            for s in (1, -1)
        )
        both = [
            a + b for a, b in zip(outputs(op, up, parameters), outputs(op, down, parameters), strict=True)
        ]
        if not are_close(both, [2 * z for z in outputs(op, arrays, parameters)]):
            return False
    return True


def irreducible(
    found: Mapping[tuple[int, ...] | None, float],
) -> Iterator[tuple[tuple[int, ...] | None, float]]:
    """The laws that do not follow from two others, of disjoint sets of operands, whose numbers add up."""
    for of, number in found.items():
        parts = [s for s in found if s and of and set(s) < set(of)]
        rests = {s: tuple(i for i in of or () if i not in s) for s in parts}
        if not any(rests[s] in found and np.isclose(found[s] + found[rests[s]], number) for s in parts):
            yield of, number


# ---- inverses ------------------------------------------------------------------------------------------------


def undoes(op: Op, inverse: Inverse) -> bool:
    """Whether the stated inverse gives the operands back in every call that it says can be undone."""
    undoing, seen = find(inverse.name), 0
    for arrays, parameters in calls(op):
        given = inverse.parameters([x.shape for x in arrays], **parameters)
        if given is None:
            continue
        seen += 1
        got = outputs(undoing, outputs(op, arrays, parameters), given)
        if inverse.is_exact and not all(map(np.array_equal, got, arrays)):
            return False
        if not are_close(got, arrays):
            return False
    return seen > 0


def undone_by_any(op: Op) -> list[str]:
    """The ops of one operand without parameters that undo the op in every call."""
    return [name for name in _simple() if op.name in _simple() and _undoes(op, find(name))]


@cache
def _simple() -> tuple[str, ...]:
    return tuple(
        name
        for name, op in CATALOGUE.items()
        if not op.has_several_outputs and all(len(arrays) == 1 and not p for arrays, p in calls(op))
    )


def _undoes(op: Op, undoing: Op) -> bool:
    try:
        return all(
            are_close(outputs(undoing, outputs(op, arrays, {}), {}), arrays) for arrays, _ in calls(op)
        )
    except (ValueError, np.linalg.LinAlgError):
        return False


# ---- what a row states against what holds ----------------------------------------------------------------


def disagreements(op: Op) -> Iterator[str]:
    """Every property that a row states and does not have, or has, and neither states nor excuses."""
    for trait, holds in HOLDS.items():
        if trait in op.traits or trait not in EXAMPLES:
            yield from _compared(op, trait, is_stated=_states(op, trait), holds=holds(op))
    for law in op.homogeneities:
        if not obeys_degree(op, law):
            yield f"{op.name} is not {law}"
    degrees = {of: k for of in subsets(op) if (k := degree(op, of)) is not None}
    stated = {law.of for law in op.homogeneities}
    missing = [of for of, _ in irreducible(degrees) if of not in stated]
    yield from _unstated(op, Homogeneous, [f"{op.name} is homogeneous in {of}" for of in missing])
    if op.shift and not obeys_shift(op, op.shift):
        yield f"{op.name} does not obey {op.shift}"
    gains = {of: g for of in subsets(op) if (g := gain(op, of)) is not None}
    missing = [
        of for of, _ in irreducible(gains) if not is_affine(op, of) and not (op.shift and op.shift.of == of)
    ]
    yield from _unstated(op, Shift, [f"{op.name} shifts with {of}" for of in missing])
    if op.inverse and not undoes(op, op.inverse):
        yield f"{op.name} is not undone by {op.inverse.name}"
    found = [] if op.inverse else undone_by_any(op)
    yield from _unstated(op, Inverse, [f"{op.name} is undone by {name}" for name in found])


def _states(op: Op, trait: Trait) -> bool:
    return op.is_piecewise_linear if trait is Trait.PIECEWISE_LINEAR else trait in op.traits


def _compared(op: Op, trait: Trait, *, is_stated: bool, holds: bool) -> Iterator[str]:
    if is_stated and not holds:
        yield f"{op.name} states what does not hold: {trait.value}"
    if not is_stated:
        yield from _unstated(op, trait, [f"{op.name} does not state: {trait.value}"] if holds else [])
    elif is_unstated(trait, op.name):
        yield f"{op.name} states what `unstated` excuses: {trait.value}"


def _unstated(op: Op, kind: Trait | type, found: list[str]) -> Iterator[str]:
    is_excused = is_unstated(kind, op.name)
    if found and not is_excused:
        yield from found
    if is_excused and not found:
        yield f"{op.name} is excused from what does not hold: {kind}"
