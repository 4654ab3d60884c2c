"""Flat ops: a value that jumps, and between its jumps does not change.

Rounding, signs, comparisons, truth values and positions have a derivative almost everywhere, and it is zero.
Engines say so in several ways: zeros, None, or a refusal. So these rows stand apart from the catalogue,
whose every row has a gradient to compare, and have a question of their own.

Domains keep clear of the jumps, as those of other rows keep clear of kinks; on them only values are compared.
Two ops are not here: `unique`, the shape of whose result depends on values, which compilers refuse; and
`searchsorted`, which means something for sorted operands only, which are no domain.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from conformance.op import BOOLEAN, DISTINCT, NONZERO, REAL, Choose, Domain, Law, Op, Signature, Trait
from conformance.ops import laws

# Where rounding jumps: at whole numbers, or halfway between them.
BETWEEN_INTEGERS = Domain(low=-3, high=3, kinks=(-2, -1, 0, 1, 2))
BETWEEN_HALVES = Domain(low=-2.5, high=2.5, kinks=(-1.5, -0.5, 0.5, 1.5))
# The quotient of the two lies between -1 and 1, and jumps at 0 alone; then with a negative divisor, and beyond 1.
SMALL, LARGER = Domain(low=-1, high=1, kinks=(0,)), Domain(low=1, high=3)
QUOTIENTS: tuple[tuple[Domain, Domain], ...] = (
    (SMALL, LARGER),
    (SMALL, Domain(low=-3, high=-1)),
    (Domain(low=2.625, high=2.875), Domain(low=-1.25, high=-1)),
)


def flat(
    name: str,
    reference: Callable[..., Any],
    *domains: Domain,
    source: str,
    law: Law | None = None,
    aliases: tuple[str, ...] = (),
) -> Op:
    """A flat row: its VJP is zero for every operand that could have a gradient."""

    def rule(index: int, g: Any, z: Any, /, *operands: Any, **parameters: Any) -> Any:
        return np.zeros_like(operands[index])

    differentiable = sum(domain.is_differentiable for domain in domains)
    return Op(
        name=name,
        reference=reference,
        rule=rule,
        domains=domains,
        law=law or (laws.one_array if len(domains) == 1 else laws.broadcast(len(domains))),
        source=source,
        formula=("x̄ = 0", "x̄ = 0, ȳ = 0")[differentiable - 1],
        traits=frozenset({Trait.FLAT}),
        aliases=aliases,
    )


def over_an_axis(shapes: tuple[tuple[int, ...], ...]) -> Law:
    """One operand, one axis of either sign or none, and `keepdims`."""

    def law(choose: Choose) -> Signature:
        shape = choose(shapes)
        axis = choose((None, *range(len(shape)), *range(-len(shape), 0)))
        return Signature((shape,), {"axis": axis, "keepdims": choose((False, True))})

    return law


FULL = tuple(shape for shape in laws.SHAPES if 0 not in shape)
counted, found = over_an_axis(laws.SHAPES), over_an_axis(FULL)

ROUNDING = (
    flat("ceil", np.ceil, BETWEEN_INTEGERS, source="constant between whole numbers"),
    flat("floor", np.floor, BETWEEN_INTEGERS, source="constant between whole numbers"),
    flat("trunc", np.trunc, BETWEEN_INTEGERS, source="constant between whole numbers", aliases=("fix",)),
    flat("rint", np.rint, BETWEEN_HALVES, source="constant between halves", aliases=("round",)),
    flat("sign", np.sign, NONZERO, source="constant on either side of 0", aliases=("sgn",)),
    flat("angle", np.angle, NONZERO, source="0 of positive numbers, π of negative ones"),
    flat("heaviside", np.heaviside, NONZERO, REAL,
        source="constant on either side of 0; its second operand is its value at 0 alone"),
    flat("floor_divide", np.floor_divide, SMALL, LARGER, law=laws.within(*QUOTIENTS),
        source="constant where the quotient crosses no whole number"),
)  # fmt: skip

COMPARISONS = tuple(
    flat(name, reference, DISTINCT, DISTINCT, source="constant while the order of the operands is",
        aliases=(alias,))
    for name, reference, alias in (
        ("equal", np.equal, "eq"), ("not_equal", np.not_equal, "ne"), ("less", np.less, "lt"),
        ("less_equal", np.less_equal, "le"), ("greater", np.greater, "gt"),
        ("greater_equal", np.greater_equal, "ge"),
    )
)  # fmt: skip

TRUTH = (
    flat("isnan", np.isnan, REAL, source="false of every number"),
    flat("isinf", np.isinf, REAL, source="false of every finite number"),
    flat("isfinite", np.isfinite, REAL, source="true of every finite number"),
    flat("signbit", np.signbit, NONZERO, source="constant on either side of 0"),
    flat("logical_not", np.logical_not, NONZERO, source="false of every number but 0"),
    flat("logical_and", np.logical_and, NONZERO, BOOLEAN, source="every number but 0 is true"),
    flat("logical_or", np.logical_or, NONZERO, BOOLEAN, source="every number but 0 is true"),
    flat("logical_xor", np.logical_xor, NONZERO, BOOLEAN, source="every number but 0 is true"),
    flat("any", np.any, NONZERO, law=counted, source="every number but 0 is true"),
    flat("all", np.all, NONZERO, law=counted, source="every number but 0 is true"),
)  # fmt: skip

POSITIONS = (
    flat("argmax", np.argmax, DISTINCT, law=found, source="constant while the order of the entries is"),
    flat("argmin", np.argmin, DISTINCT, law=found, source="constant while the order of the entries is"),
    flat("argsort", np.argsort, DISTINCT, law=laws.along_one_full_axis,
        source="constant while the order of the entries is"),
    flat("count_nonzero", np.count_nonzero, NONZERO, law=counted, source="counts the entries other than 0"),
)  # fmt: skip

ROWS: tuple[Op, ...] = ROUNDING + COMPARISONS + TRUTH + POSITIONS
