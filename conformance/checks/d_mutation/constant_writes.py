"""Writes of what needs no gradient, by every kind of index (D7)."""

from __future__ import annotations

from functools import partial
from itertools import product
from typing import Any

import numpy as np

from conformance.backend import Backend, Capability
from conformance.checks.comparison import hold_equal
from conformance.checks.d_mutation.writes_by_index import CALLS, FORMS, MORE_AXES, ONE_NUMBER
from conformance.checks.engine_calls import unless_refused
from conformance.checks.observation import plain
from conformance.checks.registry import NotThisCase, contract
from conformance.checks.sample import Sample
from conformance.ops.names import ADD, MULTIPLY, NEGATIVE

OF_LANGUAGE = ", a number of the language,"


@contract("D7", "constant-by-every-index", Capability.RECORDED_WRITES)
def constant_written_by_any_index_ends_the_gradient_there(engine: Backend, sample: Sample) -> None:
    """What a constant overwrites, by integers, slices, masks or arrays, has a gradient of zero, the rest has its own, and so has what was used before."""
    add, multiply, negative = (engine.op(name) for name in (ADD, MULTIPLY, NEGATIVE))
    decided = 0
    forms = enumerate((*FORMS, OF_LANGUAGE))
    for (number, (what, index, shape)), (turn, form) in product(enumerate(CALLS), forms):
        x, g, is_used_before = sample.array(shape), sample.array(shape), (number + turn + sample.seed) % 2 > 0
        own = x[index].shape
        if not own and form == MORE_AXES:
            continue  # NumPy writes no array with axes in place of one entry
        shapes = {ONE_NUMBER: (), OF_LANGUAGE: (), MORE_AXES: (1,) * len(own) + own[-1:]}
        w = sample.array(shapes.get(form, own))
        given: Any = (int(w) if number % 2 else float(w)) if form == OF_LANGUAGE else w
        three = engine.array(np.array(3, sample.dtype))

        def function(
            a: Any,
            given: Any = given,
            index: Any = index,
            three: Any = three,
            is_used_before: bool = is_used_before,
        ) -> Any:
            target = negative(a)
            before = multiply(target, three) if is_used_before else None
            is_array = isinstance(given, np.ndarray)
            engine.assign(target, index, engine.array(np.array(given)) if is_array else given)
            square = multiply(target, target)
            return square if before is None else add(square, before)

        answer = unless_refused(partial(engine.vjp, function, [np.array(x)], [np.array(g)]), engine)
        if answer is None:
            continue
        decided += 1
        target, slope = -x, 2 * g * x
        written = np.asarray(given)
        target[index], slope[index] = written.reshape(w.shape[-1:]) if w.ndim > len(own) else written, 0
        value = target * target
        if is_used_before:
            value, slope = value - 3 * x, slope - 3 * g
        said = f"after a constant{form} was written by {what}"
        hold_equal(plain(engine, answer[0][0]), value, f"the square of -x {said}")
        got = None if answer[1][0] is None else plain(engine, answer[1][0])
        hold_equal(got, slope, f"x's gradient of the square of -x {said}")
    if not decided:
        raise NotThisCase("the engine refuses every write of a constant")
