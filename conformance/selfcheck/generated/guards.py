"""Guards: the conditions under which a guarded mutant is wrong, drawn from a grammar.

A bug that survives its author's tests holds only somewhere: above a size that a kernel handles in blocks, for one axis,
for an operand that is not contiguous, in the second derivative. A guard is such a somewhere, with the factors that it
is about. The draws are finer than the levels of the suite's design: from 37 entries on, not from 33.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Protocol

import numpy as np

from conformance.op import Op, OperandKind, Trait
from conformance.selfcheck.generated.equivalence import leaves

Array = np.ndarray[Any, Any]


class Facts(Protocol):
    """What is known where a rule is applied: the call it belongs to, and the backward pass.

    Attributes:
        operands: their plain values; of a call whose results have several rules, the same for all.
        cotangent: its plain value, of the first output where there are several.
        parameters: of the call.
        kinds: of each operand, "leaf", "computed", or "constant".
        number: of the call among the calls of the op, from 1.
        nodes: of the graph behind the operands.
        is_recorded: whether the backward pass is itself recorded.
        is_main: whether this is the main thread.
        modes: the transforms that are at work: "checkpoint", "vmap", "jit".
    """

    operands: Sequence[Array]
    cotangent: Array
    parameters: Mapping[str, Any]
    kinds: Sequence[str]
    number: int
    nodes: int
    is_recorded: bool
    is_main: bool
    modes: frozenset[str]


@dataclass(frozen=True)
class Guard:
    """A condition.

    Attributes:
        text: it, as a reader would write it.
        factors: what it is about.
        holds: whether it does; an array where it is about each entry of the gradient.
        hides: the changes that it would hide, such as a factor where every cotangent is zero.
    """

    text: str
    factors: tuple[str, ...]
    holds: Callable[[int, Facts], Any]
    hides: bool = False


def drawn(op: Op, rng: random.Random) -> Guard:
    """A guard for an op: one condition, or, one time in six, two at once."""
    first = _one(op, rng)
    if rng.random() > 1 / 6:
        return first
    for _ in range(20):
        second = _one(op, rng)
        if second.factors != first.factors and not (first.hides or second.hides):
            return Guard(
                f"{first.text} and {second.text}",
                first.factors + second.factors,
                lambda i, f: np.logical_and(first.holds(i, f), second.holds(i, f)),
            )
    return first


def _one(op: Op, rng: random.Random) -> Guard:
    makers, weights = zip(*GRAMMAR.items(), strict=True)
    while True:
        made = rng.choices(makers, weights)[0](op, rng)
        if made is not None:
            return made


# ---- what an op's documented calls can be ------------------------------------------------------------------


@dataclass(frozen=True)
class Reach:
    """What the calls of an op are: whether any shape will do, else the ranks and sizes that its law knows."""

    is_free: bool
    count: int
    ranks: tuple[tuple[int, ...], ...]
    last: tuple[tuple[int, ...], ...]
    parameters: Mapping[str, tuple[Any, ...]]


@cache
def reach(op: Op) -> Reach:
    """What the law of an op and its traits say of its calls."""
    known = [s for s in leaves(op.law) if s.shapes]
    count = min(len(s.shapes) for s in known)
    ranks = tuple(tuple(sorted({len(s.shapes[i]) for s in known})) for i in range(count))
    last = tuple(tuple(sorted({s.shapes[i][-1] for s in known if s.shapes[i]})) for i in range(count))
    values: dict[str, dict[str, Any]] = {}
    for signature in known:
        for name, value in signature.parameters.items():
            if isinstance(value, (bool, int, float, str, tuple, type(None))) and len(repr(value)) < 40:
                values.setdefault(name, {})[repr(value)] = value
    parameters = {name: tuple(v.values()) for name, v in values.items() if len(v) > 1}
    is_free = Trait.ELEMENTWISE in op.traits or Trait.REDUCTION in op.traits
    return Reach(is_free, count, ranks, last, parameters)


# ---- the grammar -------------------------------------------------------------------------------------------


def _size(op: Op, rng: random.Random) -> Guard | None:
    known = reach(op)
    index = rng.randrange(known.count)
    if not known.is_free and len(known.last[index]) < 3:
        return None
    n = round(2 ** rng.uniform(1, 10.5))
    m = rng.choice((2, 3, 4, 5, 8, 16))
    r = rng.randrange(m)
    texts: list[tuple[str, Callable[[int], bool]]] = [
        (f"> {n}", lambda s: s > n),
        (f">= {n}", lambda s: s >= n),
        (f"% {m} == {r}", lambda s: s > 0 and s % m == r),
        (f"in [{n}, {2 * n}]", lambda s: n <= s <= 2 * n),
        ("== 1", lambda s: s == 1),
        (f"== {n}", lambda s: s == n),
    ]
    text, test = rng.choices(texts, (6, 4, 4, 3, 2, 1))[0]
    if known.is_free and rng.random() < 0.5:
        return Guard(f"operand {index} has size {text}", ("size",), lambda i, f: test(f.operands[index].size))
    return Guard(
        f"the last axis of operand {index} has size {text}",
        ("size",),
        lambda i, f: f.operands[index].ndim > 0 and test(f.operands[index].shape[-1]),
    )


def _rank(op: Op, rng: random.Random) -> Guard | None:
    known = reach(op)
    index = rng.randrange(known.count)
    possible = range(7) if known.is_free and Trait.ELEMENTWISE in op.traits else range(1, 6) if known.is_free else known.ranks[index]
    if len(possible) < 2:
        return None
    n = rng.choice(possible)
    if rng.random() < 0.3 and n < max(possible):
        return Guard(f"operand {index} has rank > {n}", ("rank",), lambda i, f: f.operands[index].ndim > n)
    return Guard(f"operand {index} has rank {n}", ("rank",), lambda i, f: f.operands[index].ndim == n)


def _shape(op: Op, rng: random.Random) -> Guard | None:
    known = reach(op)
    if not known.is_free:
        return None
    index = rng.randrange(known.count)
    texts: list[tuple[str, Callable[[tuple[int, ...]], bool]]] = [
        ("a leading axis of size 1", lambda s: len(s) > 1 and s[0] == 1),
        ("a last axis of size 1", lambda s: len(s) > 1 and s[-1] == 1),
        ("a middle axis of size 1", lambda s: len(s) > 2 and 1 in s[1:-1]),
        ("all axes of equal size", lambda s: len(s) > 1 and len(set(s)) == 1 and s[0] > 1),
        ("a last axis longer than its first", lambda s: len(s) > 1 and s[-1] > s[0]),
        ("a first axis longer than its last", lambda s: len(s) > 1 and s[-1] < s[0]),
        ("an odd number of entries above 1", lambda s: int(np.prod(s)) % 2 == 1 and int(np.prod(s)) > 1),
    ]
    text, test = rng.choice(texts)
    return Guard(f"operand {index} has {text}", ("shape",), lambda i, f: test(f.operands[index].shape))


def _broadcast(op: Op, rng: random.Random) -> Guard | None:
    known = reach(op)
    if Trait.ELEMENTWISE not in op.traits or known.count < 2:
        return None

    def stretched(own: tuple[int, ...], whole: tuple[int, ...]) -> list[int]:
        padded = (0,) * (len(whole) - len(own)) + own
        return [k for k, (a, b) in enumerate(zip(padded, whole, strict=True)) if a == 1 != b]

    texts: list[tuple[str, Callable[[tuple[int, ...], tuple[int, ...]], bool]]] = [
        ("is stretched along its first axis", lambda s, w: len(s) == len(w) and 0 in stretched(s, w)),
        ("is stretched along its last axis", lambda s, w: len(w) - 1 in stretched(s, w)),
        ("is stretched along two axes", lambda s, w: len(stretched(s, w)) > 1),
        ("lacks one leading axis", lambda s, w: len(w) - len(s) == 1 and len(s) > 0),
        ("lacks two leading axes", lambda s, w: len(w) - len(s) == 2 and len(s) > 0),
        ("is 0-d beside an array", lambda s, w: not s and len(w) > 0),
        ("is stretched, and lacks an axis", lambda s, w: bool(stretched(s, w)) and len(s) < len(w)),
    ]
    text, test = rng.choice(texts)
    return Guard(
        f"the operand {text}", ("broadcasting",), lambda i, f: test(f.operands[i].shape, f.cotangent.shape)
    )


def _parameter(op: Op, rng: random.Random) -> Guard | None:
    known = reach(op)
    if not known.parameters:
        return None
    name = rng.choice(sorted(known.parameters))
    values = known.parameters[name]
    if name == "axis" and known.is_free and rng.random() < 0.4:
        values = (2, -3, 3, -2, (0, 2), (1, 2), (-1, -2), (0, 1, 2), ())
    value = rng.choice(values)
    if name == "axis" and rng.random() < 0.3:
        texts: list[tuple[str, Callable[[Any], bool]]] = [
            ("negative", lambda a: isinstance(a, int) and a < 0),
            ("a tuple", lambda a: isinstance(a, tuple)),
            ("no first axis", lambda a: isinstance(a, int) and a > 0),
        ]
        fitting = [(t, h) for t, h in texts if any(h(v) for v in known.parameters[name])]
        if fitting:
            text, test = rng.choice(fitting)
            return Guard(f"axis is {text}", ("parameter",), lambda i, f: test(f.parameters.get("axis")))
    return Guard(
        f"{name} == {value!r}", ("parameter",), lambda i, f: name in f.parameters and _equal(f.parameters[name], value)
    )


def _equal(a: Any, b: Any) -> bool:
    return type(a) is type(b) and bool(a == b)


def _parameter_and_shape(op: Op, rng: random.Random) -> Guard | None:
    if not reach(op).is_free:
        return None
    first = _parameter(op, rng)
    second = rng.choice((_rank, _size, _shape))(op, rng)
    if first is None or second is None:
        return None
    return Guard(
        f"{first.text} and {second.text}",
        first.factors + second.factors,
        lambda i, f: first.holds(i, f) and second.holds(i, f),
    )


def _dtype(op: Op, rng: random.Random) -> Guard | None:
    names = ["float32", "float64", "float16", "bfloat16"]
    if Trait.HOLOMORPHIC in op.traits:
        names += ["complex128", "complex64"]
    differentiable = [i for i in range(reach(op).count) if op.is_differentiable(i)]
    if len(differentiable) > 1 and rng.random() < 0.4:
        a, b = rng.sample(["float32", "float64"], 2)
        i, j = rng.sample(differentiable, 2)
        return Guard(
            f"operand {i} is {a} and operand {j} {b}",
            ("dtype",),
            lambda _, f: f.operands[i].dtype.name == a and f.operands[j].dtype.name == b,
        )
    name = rng.choice(names)
    i = rng.choice(differentiable)
    return Guard(f"operand {i} is {name}", ("dtype",), lambda _, f: f.operands[i].dtype.name == name)


def _layout(op: Op, rng: random.Random) -> Guard | None:
    texts: list[tuple[str, Callable[[Array], bool]]] = [
        ("not contiguous", lambda x: x.size > 1 and not (x.flags.c_contiguous or x.flags.f_contiguous)),
        ("in Fortran order", lambda x: x.flags.f_contiguous and not x.flags.c_contiguous),
        ("of a negative stride", lambda x: x.size > 1 and any(s < 0 for s in x.strides)),
        ("of stride 0", lambda x: any(s == 0 and n > 1 for s, n in zip(x.strides, x.shape, strict=True))),
        ("strided along its last axis", lambda x: x.ndim > 0 and x.shape[-1] > 1 and x.strides[-1] > x.itemsize),
        ("a view", lambda x: x.base is not None),
        ("read-only", lambda x: not x.flags.writeable),
    ]
    text, test = rng.choices(texts, (4, 4, 2, 2, 3, 1, 1))[0]
    if rng.random() < 0.4:
        return Guard(f"the cotangent is {text}", ("layout",), lambda i, f: test(f.cotangent))
    index = rng.randrange(reach(op).count)
    return Guard(f"operand {index} is {text}", ("layout",), lambda i, f: test(f.operands[index]))


def _value(op: Op, rng: random.Random) -> Guard | None:
    """About the value of each entry: of the operand itself, or of one of the same shape."""
    known = reach(op)
    real = [i for i in range(known.count) if op.domain(i).kind in (OperandKind.REAL, OperandKind.DISTINCT)]
    if not real:
        return None
    index = rng.choice(real)
    domain = op.domain(index)
    low, high = max(domain.low, -8.0), min(domain.high, 8.0)
    start = round(rng.uniform(low, high), 2)
    width = round((high - low) * rng.choice((0.03, 0.06, 0.12)), 2) or 0.01
    far = float(rng.choice((4, 6, 9, 20, 100, 710)))
    near = rng.choice((1e-2, 1e-4, 1e-8, 1e-30, 1e-300))
    kinds: list[tuple[str, Callable[[Array], Array], bool, int]] = [
        (f"in [{start}, {start + width:.2f}]", lambda x: (x >= start) & (x <= start + width), True, 4),
        (f"> {far:g}", lambda x: np.real(x) > far, domain.high > far, 2),
        (f"< -{far:g}", lambda x: np.real(x) < -far, domain.low < -far, 2),
        (f"within {near:g} of 0, but not 0", lambda x: (np.abs(x) < near) & (x != 0), domain.low <= 0 <= domain.high, 2),
        ("0", lambda x: x == 0, domain.low < 0 < domain.high and 0.0 not in domain.kinks and domain.kind is OperandKind.REAL, 2),
        ("a negative zero", lambda x: (x == 0) & np.signbit(np.real(x)), domain.low < 0 < domain.high and 0.0 not in domain.kinks, 1),
        ("1", lambda x: x == 1, domain.low < 1 < domain.high and 1.0 not in domain.kinks, 1),
        ("a whole number above 1", lambda x: (x == np.rint(np.real(x))) & (np.real(x) > 1), domain.high > 3, 1),
        ("negative", lambda x: np.real(x) < 0, domain.low < 0 < domain.high, 1),
        ("NaN", np.isnan, True, 1),
        ("infinite", np.isinf, domain.high == np.inf, 1),
    ]  # fmt: skip
    possible = [k for k in kinds if k[2]]
    text, test, _, _ = rng.choices(possible, [k[3] for k in possible])[0]

    def holds(i: int, f: Facts) -> Any:
        mask = test(f.operands[index])
        return mask if i == index else np.any(mask)

    return Guard(f"operand {index} is {text}", ("value of an operand",), holds, hides=True)


def _cotangent(op: Op, rng: random.Random) -> Guard | None:
    bound = rng.choice((10.0, 100.0, 1e4))
    texts: list[tuple[str, Callable[[Array], bool], bool]] = [
        ("has a zero", lambda g: g.size > 1 and bool((g == 0).any()) and bool(g.any()), False),
        ("is zero", lambda g: g.size > 0 and not g.any(), True),
        ("is the same everywhere", lambda g: g.size > 1 and bool((g == g.flat[0]).all()) and bool(g.any()), False),
        ("is one-hot", lambda g: g.size > 1 and int(np.count_nonzero(g)) == 1, False),
        ("is 1", lambda g: g.size > 0 and bool((g == 1).all()), False),
        ("is negative at first", lambda g: g.size > 0 and bool(np.real(g.flat[0]) < 0), False),
        (f"is larger than {bound:g}", lambda g: bool((np.abs(g) > bound).any()), False),
        ("has a NaN", lambda g: bool(np.isnan(g).any()), True),
        ("has an infinity", lambda g: bool(np.isinf(g).any()), True),
    ]
    text, test, hides = rng.choice(texts)
    return Guard(f"the cotangent {text}", ("cotangent",), lambda i, f: test(f.cotangent), hides)


def _kind(op: Op, rng: random.Random) -> Guard | None:
    known = reach(op)
    differentiable = [i for i in range(known.count) if op.is_differentiable(i)]
    options = ["computed"]
    if len(differentiable) > 1:
        options += ["constant", "twice"]
    option = rng.choice(options)
    if option == "constant":
        index = rng.choice(differentiable)
        return Guard(
            f"operand {index} needs no gradient", ("operand kind",), lambda i, f: f.kinds[index] == "constant"
        )
    if option == "twice":
        return Guard(
            "two operands are the same array",
            ("operand kind",),
            lambda i, f: any(a is b for n, a in enumerate(f.operands) for b in f.operands[:n]),
        )
    index = rng.choice(differentiable)
    return Guard(f"operand {index} is computed", ("operand kind",), lambda i, f: f.kinds[index] == "computed")


def _order(op: Op, rng: random.Random) -> Guard | None:
    if op.is_piecewise_linear or Trait.REAL_RULE in op.traits:
        return None
    return Guard("the gradient is differentiated", ("order",), lambda i, f: f.is_recorded)


def _mode(op: Op, rng: random.Random) -> Guard | None:
    mode = rng.choice(("checkpoint", "vmap", "jit"))
    return Guard(f"inside {mode}", ("mode",), lambda i, f: mode in f.modes)


def _graph(op: Op, rng: random.Random) -> Guard | None:
    n = rng.choice((2, 3, 5, 8, 12, 20, 33))
    return Guard(f"more than {n} nodes are behind the operands", ("graph size",), lambda i, f: f.nodes > n)


def _thread(op: Op, rng: random.Random) -> Guard | None:
    return Guard("outside the main thread", ("thread",), lambda i, f: not f.is_main)


def _number(op: Op, rng: random.Random) -> Guard | None:
    n = rng.choice((2, 3, 5, 10, 17, 40, 64, 100, 150, 300))
    if rng.random() < 0.3:
        return Guard(f"every {n}th call", ("number of the call",), lambda i, f: f.number % n == 0)
    return Guard(f"from call {n} on", ("number of the call",), lambda i, f: f.number >= n)


# How often each is drawn: about as often as the reported bugs of engines are conditioned so.
GRAMMAR: Mapping[Callable[[Op, random.Random], Guard | None], int] = {
    _size: 12, _rank: 8, _shape: 6, _broadcast: 9, _parameter: 14, _parameter_and_shape: 6, _dtype: 8, _layout: 8,
    _value: 14, _cotangent: 6, _kind: 5, _order: 4, _mode: 2, _graph: 2, _thread: 1, _number: 4,
}  # fmt: skip
