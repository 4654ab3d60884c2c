"""Conditions on values, and on what is around a call: other operands, the order, the graph, the thread."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np

from conformance.op import Op, OperandKind
from conformance.selfcheck.generated.guard import Array, Facts, Guard
from conformance.selfcheck.generated.reach import reach


def of_value(op: Op, rng: random.Random) -> Guard | None:
    """About the value of each entry of an operand."""
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
        ("below 0", lambda x: np.real(x) < 0, domain.low < 0 < domain.high, 1),
        ("NaN", np.isnan, True, 1),
        ("infinite", np.isinf, domain.high == np.inf, 1),
    ]  # fmt: skip
    possible = [k for k in kinds if k[2]]
    text, test, _, _ = rng.choices(possible, [k[3] for k in possible])[0]

    def holds(i: int, f: Facts) -> Any:
        mask = test(f.operands[index])
        return mask if i == index else np.any(mask)

    return Guard(f"operand {index} is {text}", ("value of an operand",), holds, hides=True)


def of_cotangent(op: Op, rng: random.Random) -> Guard | None:
    """About the upstream cotangent."""
    bound = rng.choice((10.0, 100.0, 1e4))
    texts: list[tuple[str, Callable[[Array], bool], bool]] = [
        ("has a zero", lambda g: g.size > 1 and bool((g == 0).any()) and bool(g.any()), False),
        ("is zero", lambda g: g.size > 0 and not g.any(), True),
        (
            "is the same everywhere",
            lambda g: g.size > 1 and bool((g == g.flat[0]).all()) and bool(g.any()),
            False,
        ),
        ("is one-hot", lambda g: g.size > 1 and int(np.count_nonzero(g)) == 1, False),
        ("is 1", lambda g: g.size > 0 and bool((g == 1).all()), False),
        ("is negative at first", lambda g: g.size > 0 and bool(np.real(g.flat[0]) < 0), False),
        (f"is larger than {bound:g}", lambda g: bool((np.abs(g) > bound).any()), False),
        ("has a NaN", lambda g: bool(np.isnan(g).any()), True),
        ("has an infinity", lambda g: bool(np.isinf(g).any()), True),
    ]
    text, test, hides = rng.choice(texts)
    return Guard(f"the cotangent {text}", ("cotangent",), lambda i, f: test(f.cotangent), hides)


def of_kind(op: Op, rng: random.Random) -> Guard | None:
    """About where an operand comes from."""
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


def of_order(op: Op, rng: random.Random) -> Guard | None:
    """About the second derivative; None where there is none to speak of."""
    if op.is_piecewise_linear:
        return None
    return Guard("the gradient is differentiated", ("order",), lambda i, f: f.is_recorded)


def of_mode(op: Op, rng: random.Random) -> Guard | None:
    """About the transform that is at work."""
    mode = rng.choice(("checkpoint", "vmap", "jit"))
    return Guard(f"inside {mode}", ("mode",), lambda i, f: mode in f.modes)


def of_graph(op: Op, rng: random.Random) -> Guard | None:
    """About the graph behind the operands."""
    n = rng.choice((2, 3, 5, 8, 12, 20, 33))
    return Guard(f"more than {n} nodes are behind the operands", ("graph size",), lambda i, f: f.nodes > n)


def of_thread(op: Op, rng: random.Random) -> Guard | None:
    """About the thread of the backward pass."""
    return Guard("outside the main thread", ("thread",), lambda i, f: not f.is_main)


def of_number(op: Op, rng: random.Random) -> Guard | None:
    """About how often the op has been called."""
    n = rng.choice((2, 3, 5, 10, 17, 40, 64, 100, 150, 300))
    if rng.random() < 0.3:
        return Guard(f"every {n}th call", ("number of the call",), lambda i, f: f.number % n == 0)
    return Guard(f"from call {n} on", ("number of the call",), lambda i, f: f.number >= n)
