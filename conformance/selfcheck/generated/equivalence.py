"""Equivalence: whether a changed rule differs from the true one on any call that the op documents.

The suite's own cases do not decide that. Here every leaf of the op's law is called, in several dtypes and magnitudes,
at the ends, kinks and special values of the domains, with special cotangents, and differentiated twice.
"""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import Any

import numpy as np

from conformance.backend import Backend
from conformance.case import Array, Case
from conformance.checks.observation import Oracle
from conformance.design.rows import Row, leaves
from conformance.errors import is_ctrl_c
from conformance.op import Op, OperandKind, Trait
from conformance.ops import ALL_OPS
from conformance.oracle.allowance import differentiable
from conformance.selfcheck.generated.guarded import GuardedMutant
from conformance.strategies.cases import build
from conformance.values import COTANGENTS, MAGNITUDES, TEXTURES, direction

LEAVES = 300  # of a law, at most
SPECIAL_LEAVES = 6  # at special values
ENOUGH = 12  # calls that meet a condition, before it is said that nothing is wrong there
OF_CALLS = {"size", "rank", "shape", "broadcasting", "parameter", "dtype", "value of an operand", "cotangent"}
TWICE = 60  # cases that are differentiated twice, which takes an engine
SPECIAL = (
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    2.0,
    3.0,
    np.inf,
    -np.inf,
    1e-300,
    5e-324,
    1e300,
    -1e300,
    20.0,
    -20.0,
    800.0,
)
ROUNDING = 64  # units in the last place of the largest entry: a change that only rounds differently is none
Rule = Callable[..., Any]


def difference(op: Op, rule: Rule, engines: tuple[Backend, Backend]) -> str:
    """By what factor a changed rule shows, and where; empty where it does not.

    `engines` are the true one and the one with the changed rule.
    """
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for factor, case in _cases(op):
            if _differs(op, rule, case):
                return f"{factor}: {_shown(case)}"
        for factor, case in (
            *_some([("shape or parameter", c) for c in _leaf_cases(op, "float64", TEXTURES)]),
            *_some(_special(op)),
        ):
            if _differs_twice(op, engines, case):
                return f"order of differentiation and {factor}: {_shown(case)}"
    return ""


def _some(cases: Sequence[tuple[str, Case]]) -> list[tuple[str, Case]]:
    full = [(factor, case) for factor, case in cases if all(x.size for x in case.operands)]
    return full[:: max(1, len(full) // TWICE)]


def _shown(case: Case) -> str:
    values = ", ".join(str(x.tolist()) for x in case.operands if x.size <= 4)
    return f"{case.label}{' at ' + values if values else ''}"


def is_idle(mutant: GuardedMutant) -> bool:
    """Whether a guarded mutant gives the true gradient on every call that was found to meet its condition.

    Only conditions on the call itself can be decided here: on what is around it, nothing is known.
    """
    op, met = ALL_OPS[mutant.op], 0
    if not set(mutant.guard.factors) <= OF_CALLS:
        return False
    with np.errstate(all="ignore"):
        for _, case in _cases(op):
            z = op.reference(*case.operands, **case.parameters)
            g = case.cotangents if op.has_several_outputs else case.cotangents[0]
            facts = CallFacts(case.operands, case.cotangents[0], case.parameters)
            for index in differentiable(op, case):
                right = np.asarray(op.rule(index, g, z, *case.operands, **case.parameters))
                if not np.any(mutant.guard.holds(index, facts)):
                    continue
                met += 1
                if not _is_same(right, np.asarray(mutant.altered(index, right, facts)), right.dtype):
                    return False
    return met >= ENOUGH


@dataclass
class CallFacts:
    """What is known of a call by itself: operands that are leaves, in the main thread, for the first time."""

    operands: Sequence[Array]
    cotangent: Array
    parameters: Mapping[str, Any]
    kinds: Sequence[str] = ()
    number: int = 1
    nodes: int = 0
    is_recorded: bool = False
    is_main: bool = True
    modes: frozenset[str] = frozenset()


# ---- calls --------------------------------------------------------------------------------------------


@lru_cache(maxsize=2)
def _cases(op: Op) -> tuple[tuple[str, Case], ...]:
    dtypes = ("float64", "float32", *(("complex128",) if Trait.HOLOMORPHIC in op.traits else ()))
    return (
        *(("shape or parameter", case) for case in _leaf_cases(op, "float64", TEXTURES)),
        *(("dtype", case) for dtype in dtypes[1:] for case in _leaf_cases(op, dtype, TEXTURES)),
        *(("magnitude", case) for case in _leaf_cases(op, "float64", MAGNITUDES)),
        *_special(op),
    )


@lru_cache(maxsize=8)
def _leaf_cases(op: Op, dtype: str, textures: tuple[str, ...]) -> tuple[Case, ...]:
    """One case of each leaf of the law, or of as many, spread over all."""
    signatures, made = leaves(op.law), []
    for number, signature in enumerate(signatures[:: 1 + len(signatures) // LEAVES]):
        texture, upstream = textures[number % len(textures)], COTANGENTS[number % 2]
        made.append(
            build(op, Row(signature), dtype, texture=texture, upstream=upstream, layouts=["C"], seed=number)
        )
    return tuple(made)


@lru_cache(maxsize=2)
def _special(op: Op) -> tuple[tuple[str, Case], ...]:
    return tuple(_special_cases(op))


def _special_cases(op: Op) -> Iterator[tuple[str, Case]]:
    """The first leaves at special values of their operands and of their cotangents."""
    cases = [
        c for c in _leaf_cases(op, "float64", TEXTURES) if c.operands and all(x.size for x in c.operands)
    ]
    cases = cases[:: max(1, len(cases) // SPECIAL_LEAVES)]
    for case in cases:
        for operands in _special_operands(op, case):
            yield "value of an operand", replace(case, operands=operands)
        for special in (0.0, np.inf, np.nan):
            for whole in (False, True):
                upstreams = tuple(_at_first(g, special, whole=whole) for g in case.cotangents)
                yield "value of a cotangent", replace(case, cotangents=upstreams)


def _special_operands(op: Op, case: Case) -> Iterator[tuple[Array, ...]]:
    real = [i for i, x in enumerate(case.operands) if x.dtype.kind == "f" and _is_of_numbers(op, case, i)]
    for i in real:
        for value in _values(op, case, i):
            for whole in (False, True):
                yield _with(case, {i: _at_first(case.operands[i], value, whole=whole)})
        yield _with(case, {i: np.full_like(case.operands[i], case.operands[i].flat[0])})  # ties
    for i, j in itertools.combinations(real, 2):
        for v, w in itertools.product(_values(op, case, i), _values(op, case, j)):
            xs, ys = case.operands[i], case.operands[j]
            yield _with(case, {i: _at_first(xs, v, whole=True), j: _at_first(ys, w, whole=True)})


def _values(op: Op, case: Case, index: int) -> list[float]:
    """The special values in the closed domain of an operand."""
    domain = (case.domains or op.domains)[min(index, len(case.domains or op.domains) - 1)]
    named = [domain.low, domain.high, *domain.kinks, *SPECIAL]
    return [x for x in dict.fromkeys(map(float, named)) if domain.low <= x <= domain.high]


def _is_of_numbers(op: Op, case: Case, index: int) -> bool:
    domains = case.domains or op.domains
    return domains[min(index, len(domains) - 1)].kind in (OperandKind.REAL, OperandKind.DISTINCT)


def _at_first(array: Array, value: float, *, whole: bool) -> Array:
    changed = np.array(array)
    if array.size:
        changed[... if whole else (0,) * changed.ndim] = value
    return changed


def _with(case: Case, changed: dict[int, Array]) -> tuple[Array, ...]:
    return tuple(changed.get(i, x) for i, x in enumerate(case.operands))


# ---- differences ------------------------------------------------------------------------------------------


def _differs(op: Op, rule: Rule, case: Case) -> bool:
    z = op.reference(*case.operands, **case.parameters)
    g = case.cotangents if op.has_several_outputs else case.cotangents[0]

    def pulled(by: Rule, index: int) -> list[Array] | None:
        return _outcome(lambda: [np.asarray(by(index, g, z, *case.operands, **case.parameters))])

    for index in differentiable(op, case):
        right, wrong = pulled(op.rule, index), pulled(rule, index)
        if not _is_alike(right, wrong, case.operands[index].dtype):
            return True
    return False


def _differs_twice(op: Op, engines: tuple[Backend, Backend], case: Case) -> bool:
    """Whether the gradients of the gradients differ, along a direction that both take."""
    wrt = Oracle(op, case).wrt
    rng = np.random.default_rng(0)
    along = [direction(op.domain(i), case.operands[i].shape, case.dtype, rng) for i in wrt]
    right, wrong = (_outcome(partial(_second, e, case, wrt, along)) for e in engines)
    return not _is_alike(right, wrong, np.dtype(case.dtype))


def _second(engine: Backend, case: Case, wrt: Sequence[int], along: Sequence[Array]) -> list[Array]:
    function = engine.call(case.op, case.parameters)

    def gradients(*variables: Any) -> tuple[Any, ...]:
        arrays = [engine.array(x) for x in case.operands]
        for place, variable in zip(wrt, variables, strict=True):
            arrays[place] = variable
        upstreams = [engine.array(g) for g in case.cotangents]

        def of_some(*some: Any) -> Any:
            whole = list(arrays)
            for place, x in zip(wrt, some, strict=True):
                whole[place] = x
            return function(*whole)

        pulled = engine.nested_vjp(of_some, variables, upstreams)
        return tuple(
            engine.array(np.zeros(v.shape)) if p is None else p
            for v, p in zip(variables, pulled, strict=True)
        )

    operands = [np.array(case.operands[i]) for i in wrt]
    _, twice = engine.vjp(gradients, operands, [np.array(u) for u in along])
    return [np.zeros(()) if x is None else np.asarray(engine.numpy(x)) for x in twice]


def _outcome(call: Callable[[], list[Array]]) -> list[Array] | None:
    """What a call returns; None where it raises."""
    try:
        return call()
    except BaseException as error:
        if is_ctrl_c(error):
            raise
        return None


def _is_alike(right: list[Array] | None, wrong: list[Array] | None, dtype: np.dtype[Any]) -> bool:
    if right is None or wrong is None:
        return right is wrong
    return all(_is_same(a, b, dtype) for a, b in zip(right, wrong, strict=True))


def _is_same(a: Array, b: Array, dtype: np.dtype[Any]) -> bool:
    """Whether two gradients are the same but for rounding, in the operand's dtype, into which an engine casts them."""
    if a.shape != b.shape or not all(x.dtype.kind in "fciub" for x in (a, b)):
        return False
    finite = np.isfinite(a)
    if not np.array_equal(finite, np.isfinite(b)) or not np.array_equal(
        a[~finite], b[~finite], equal_nan=True
    ):
        return False
    size = np.maximum(np.abs(a[finite]), np.abs(b[finite]))
    slack = ROUNDING * np.finfo(dtype).eps * size.max(initial=0)
    return bool((np.abs(a[finite] - b[finite]) <= slack).all())
