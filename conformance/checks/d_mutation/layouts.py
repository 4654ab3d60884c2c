"""Chapter D: memory layouts do not matter."""

from __future__ import annotations

from conformance.checks.comparison import hold_close
from conformance.checks.observation import Observation
from conformance.checks.registry import NotThisCase, op_check
from conformance.oracle.allowance import expected_values


@op_check("D10", "layout")
def layout_does_not_matter(seen: Observation) -> None:
    """The memory layout of operands and cotangents does not change the gradient, nor that of operands the value."""
    if set(seen.case.layouts) == {"C"}:
        raise NotThisCase("all arrays have the C layout")
    laid_out = seen.vjp(operands=seen.case.laid_out_operands(), cotangents=seen.case.laid_out_cotangents())
    for position, expected in enumerate(seen.expected):
        first = seen.answer.gradients[position]
        what = f"{seen.label(position)} changes with layouts {', '.join(seen.case.layouts)}"
        if first is not None:
            hold_close(laid_out.gradients[position], first, 2 * expected.allowed, what)
    allowed = expected_values(seen.op, seen.case, perturbations=seen.perturbations)
    for got, first, expected in zip(laid_out.outputs, seen.answer.outputs, allowed, strict=True):
        what = f"the value changes with layouts {', '.join(seen.case.layouts)}"
        hold_close(got, first, 2 * expected.allowed, what)
