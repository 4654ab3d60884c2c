"""Chapter E: gradients at operands of every magnitude of a dtype."""

from __future__ import annotations

from weakref import WeakKeyDictionary

import numpy as np

from conformance.backend import Backend, as_tuple
from conformance.checks.comparison import Comparison
from conformance.checks.engine_calls import require_offered
from conformance.checks.observation import Observation, hold_gradients, plain
from conformance.checks.registry import FULL, NotThisCase, op_check
from conformance.dtype import BFLOAT16, HALF, finfo
from conformance.op import Trait
from conformance.ops.names import MULTIPLY
from conformance.oracle.allowance import extended
from conformance.values import MAGNITUDES, SUBNORMAL

LANES = 33  # entries: as many as a vector register has, and more
_KEPT: WeakKeyDictionary[Backend, dict[str, bool]] = WeakKeyDictionary()


@op_check(
    *("E14", "magnitudes"),
    textures=MAGNITUDES,
    dtypes=FULL | HALF,
    sparing_in=frozenset({BFLOAT16.name}),
    is_diagnosed=True,
)
def gradient_equals_reference_vjp_at_every_magnitude(seen: Observation) -> list[Comparison]:
    """At operands of every magnitude the gradient is the rule's, wherever the dtype can represent it."""
    if not any(expected.exact.size for expected in seen.expected):
        raise NotThisCase("the operands have no entries")
    if seen.case.dtype in HALF:
        require_offered(seen)
    if seen.case.texture == SUBNORMAL and not _keeps_subnormals(seen.backend, seen.case.dtype):
        raise NotThisCase("the engine takes subnormal numbers for zero")
    largest = float(finfo(seen.case.dtype).max)
    values = as_tuple(seen.op.reference(*map(extended, seen.case.operands), **seen.case.parameters))
    if Trait.ELEMENTWISE not in seen.op.traits and any((np.abs(z) > largest).any() for z in values):
        raise NotThisCase(f"the value overflows {seen.case.dtype}")
    if not any(np.isfinite(expected.allowed).any() for expected in seen.expected):
        raise NotThisCase(
            f"the gradient, or an intermediate result of the textbook rule, overflows {seen.case.dtype}"
        )
    compared = hold_gradients(seen)
    if not (_would_show(seen) or Trait.VANISHING in seen.op.traits):
        raise NotThisCase("neither a gradient a quarter larger nor one for a cotangent of ones would show")
    return compared


def _keeps_subnormals(engine: Backend, dtype: str) -> bool:
    """Whether the engine's product of a subnormal number and one is that number: some take it for zero, in threads of their own too."""
    kept = _KEPT.setdefault(engine, {})
    if dtype not in kept:
        x = np.full(LANES, 3 * finfo(dtype).smallest_subnormal, dtype)
        (product,) = engine.forward(engine.op(MULTIPLY), [x, np.ones(LANES, dtype)])
        kept[dtype] = bool((plain(engine, product) == x).all())
    return kept[dtype]


def _would_show(seen: Observation) -> bool:
    """Whether a gradient of another size would be seen, and one that is not multiplied by its cotangent."""
    is_seen = any((np.abs(expected.exact) > 4 * expected.allowed).any() for expected in seen.expected)
    return is_seen and any((g != 1).any() for g in seen.case.cotangents)
