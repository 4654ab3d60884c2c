"""Chapter E: second derivatives where a factor has no axes (E4)."""

from __future__ import annotations

from typing import Any

import numpy as np

from conformance.backend import Backend, Capability, Function
from conformance.checks.comparison import hold_equal
from conformance.checks.engine_calls import full_sum
from conformance.checks.observation import plain
from conformance.checks.registry import contract
from conformance.checks.sample import Sample
from conformance.ops.names import FMA, MULTIPLY


@contract("E4", "without-axes", Capability.HIGHER_ORDER)
def factor_without_axes_is_no_number_to_the_gradient_of_the_other(engine: Backend, sample: Sample) -> None:
    """The gradient by one factor of a product depends on the other where that, or either, has no axes, in a fused product and sum, too."""
    for name in (MULTIPLY, FMA):
        if name not in engine.ops:
            continue
        for shapes in (((), (3,)), ((3,), ()), ((), ())):
            for by in (0, 1):
                _hold(engine, sample, name, shapes, by)


def _hold(engine: Backend, sample: Sample, name: str, shapes: tuple[tuple[int, ...], ...], by: int) -> None:
    """Claim the derivative by one factor of the gradient by the other, `by`: g times the direction, summed where the factor is short."""
    other = 1 - by
    whole = np.broadcast_shapes(*shapes)
    x = [sample.array(shape) for shape in shapes]
    g, v, h = sample.array(whole), sample.array(shapes[by]), sample.array(())
    multiply, total = engine.op(MULTIPLY), full_sum(engine)
    addend, weights = engine.array(sample.array(whole)), engine.array(np.array(v))
    fixed = engine.array(np.array(x[by]))

    def product(a: Any, b: Any) -> Any:
        factors = (b, a) if other else (a, b)  # a is the other one
        op: Function = engine.op(name)
        return op(*factors, addend) if name == FMA else op(*factors)

    def along(a: Any) -> Any:
        pulled = engine.nested_vjp(lambda b: product(a, b), [fixed], [engine.array(np.array(g))])
        return total(multiply(pulled[0], weights))

    _, (got,) = engine.vjp(along, [np.array(x[other])], [np.array(h)])
    terms = h * g * v
    expected = terms if shapes[other] == whole else np.sum(terms)
    hold_equal(
        None if got is None else plain(engine, got),
        np.asarray(expected, g.dtype),
        f"the derivative by factor {other} of the gradient by factor {by} of {name}, of shapes {shapes}",
    )
