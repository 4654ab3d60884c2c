"""What a custom rule captures (C5)."""

from __future__ import annotations

from typing import Any

import numpy as np

from conformance.backend import Backend, Capability
from conformance.case import Array
from conformance.checks.comparison import decides_by_refusal, hold_equal
from conformance.checks.engine_calls import gradients_of, is_refused
from conformance.checks.registry import contract
from conformance.checks.sample import Sample
from conformance.errors import AdapterError


@contract("C5", "captured", Capability.CUSTOM_RULE)
def custom_rule_gives_no_wrong_gradient_to_what_it_captures(engine: Backend, sample: Sample) -> None:
    """What a custom rule captures is refused, or has no gradient, since the rule returns none; operands have theirs."""
    x, w, g = (sample.array((3,)) for _ in range(3))
    is_plain: list[bool] = []

    def function(a: Any, b: Any) -> Any:
        def product(c: Any) -> Any:
            is_plain.append(isinstance(c, np.ndarray))
            return c * b

        return engine.custom(product, lambda g, c: (g * b,))(a)

    given: list[Array | None] = []
    try:
        if is_refused(lambda: given.extend(gradients_of(engine, function, [x, w], g))):
            return
    except AdapterError:
        if not any(is_plain):
            raise
        decides_by_refusal()  # a rule that is given plain arrays cannot compute with the engine's
        return
    hold_equal(given[0], g * w, "x's gradient of x w by a custom rule that captures w")
    if given[1] is not None and given[1].any():
        hold_equal(given[1], g * x, "w's gradient of x w by a custom rule that captures w")
