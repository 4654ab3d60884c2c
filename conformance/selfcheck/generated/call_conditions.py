"""Conditions on a call: its shapes, parameters, dtypes and memory."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np

from conformance.op import Op, Trait
from conformance.selfcheck.generated.guard import Array, Guard
from conformance.selfcheck.generated.reach import reach


def of_size(op: Op, rng: random.Random) -> Guard | None:
    """About the size of an operand, or of its last axis; None where the law fixes it."""
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


def of_rank(op: Op, rng: random.Random) -> Guard | None:
    """About the rank of an operand; None where the law fixes it."""
    known = reach(op)
    index = rng.randrange(known.count)
    possible = (
        range(7)
        if known.is_free and Trait.ELEMENTWISE in op.traits
        else range(1, 6)
        if known.is_free
        else known.ranks[index]
    )
    if len(possible) < 2:
        return None
    n = rng.choice(possible)
    if rng.random() < 0.3 and n < max(possible):
        return Guard(f"operand {index} has rank > {n}", ("rank",), lambda i, f: f.operands[index].ndim > n)
    return Guard(f"operand {index} has rank {n}", ("rank",), lambda i, f: f.operands[index].ndim == n)


def of_shape(op: Op, rng: random.Random) -> Guard | None:
    """About the pattern of a shape; None where not every shape will do."""
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


def of_broadcast(op: Op, rng: random.Random) -> Guard | None:
    """About how the operand is broadcast; None where it cannot be."""
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


def of_parameter(op: Op, rng: random.Random) -> Guard | None:
    """About the value of a parameter; None where there is none to choose."""
    known = reach(op)
    if not known.parameters:
        return None
    name = rng.choice(sorted(known.parameters))
    values = known.parameters[name]
    if name == "axis" and known.is_free and rng.random() < 0.4:
        takes_tuples = any(isinstance(v, tuple) for v in values)
        values = (2, -3, 3, -2, *(((0, 2), (1, 2), (-1, -2), (0, 1, 2)) if takes_tuples else ()))
    value = rng.choice(values)
    if name == "axis" and rng.random() < 0.3:
        texts: list[tuple[str, Callable[[Any], bool]]] = [
            ("below 0", lambda a: isinstance(a, int) and a < 0),
            ("a tuple", lambda a: isinstance(a, tuple)),
            ("no first axis", lambda a: isinstance(a, int) and a > 0),
        ]
        fitting = [(t, h) for t, h in texts if any(h(v) for v in known.parameters[name])]
        if fitting:
            text, test = rng.choice(fitting)
            return Guard(f"axis is {text}", ("parameter",), lambda i, f: test(f.parameters.get("axis")))
    return Guard(
        f"{name} == {value!r}",
        ("parameter",),
        lambda i, f: name in f.parameters and _equal(f.parameters[name], value),
    )


def _equal(a: Any, b: Any) -> bool:
    return type(a) is type(b) and bool(a == b)


def of_parameter_and_shape(op: Op, rng: random.Random) -> Guard | None:
    """About both at once."""
    if not reach(op).is_free:
        return None
    first = of_parameter(op, rng)
    second = rng.choice((of_rank, of_size, of_shape))(op, rng)
    if first is None or second is None:
        return None
    return Guard(
        f"{first.text} and {second.text}",
        first.factors + second.factors,
        lambda i, f: first.holds(i, f) and second.holds(i, f),
    )


def of_dtype(op: Op, rng: random.Random) -> Guard | None:
    """About the dtype of an operand, or of two."""
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


def of_layout(op: Op, rng: random.Random) -> Guard | None:
    """About how an operand or the cotangent lies in memory."""
    texts: list[tuple[str, Callable[[Array], bool]]] = [
        ("not contiguous", lambda x: x.size > 1 and not (x.flags.c_contiguous or x.flags.f_contiguous)),
        ("in Fortran order", lambda x: x.flags.f_contiguous and not x.flags.c_contiguous),
        ("of a negative stride", lambda x: x.size > 1 and any(s < 0 for s in x.strides)),
        ("of stride 0", lambda x: any(s == 0 and n > 1 for s, n in zip(x.strides, x.shape, strict=True))),
        (
            "strided along its last axis",
            lambda x: x.ndim > 0 and x.shape[-1] > 1 and x.strides[-1] > x.itemsize,
        ),
        ("a view", lambda x: x.base is not None),
        ("read-only", lambda x: not x.flags.writeable),
    ]
    text, test = rng.choices(texts, (4, 4, 2, 2, 3, 1, 1))[0]
    if rng.random() < 0.4:
        return Guard(f"the cotangent is {text}", ("layout",), lambda i, f: test(f.cotangent))
    index = rng.randrange(reach(op).count)
    return Guard(f"operand {index} is {text}", ("layout",), lambda i, f: test(f.operands[index]))
