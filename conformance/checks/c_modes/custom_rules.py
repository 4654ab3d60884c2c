"""Chapter C: rules written by hand."""

from __future__ import annotations

from typing import Any

import numpy as np

from conformance.backend import Backend, Capability
from conformance.checks.engine_calls import gradients_of, is_refused
from conformance.checks.observation import hold_equal, plain
from conformance.checks.registry import contract
from conformance.checks.sample import Sample
from conformance.errors import Unsupported, Violation
from conformance.ops.names import ADD, MULTIPLY


def _product_rule(calls: list[Any]) -> Any:
    def backward(g: Any, a: Any, b: Any) -> Any:
        calls.append(g)
        return g * b, g * a

    return backward


@contract("C5", "custom-rule", Capability.CUSTOM_RULE)
def custom_rule_is_called_once_per_use(engine: Backend, sample: Sample) -> None:
    """A rule written by hand is called once per use, with that use's cotangent."""
    x, w, g = (sample.array() for _ in range(3))
    calls: list[Any] = []
    product = engine.custom(lambda a, b: a * b, _product_rule(calls))
    multiply = engine.op(MULTIPLY)
    got = gradients_of(engine, lambda a, b: multiply(product(product(a, b), b), a), [x, w], g)
    hold_equal(got[0], g * 2 * x * w * w, "x's gradient of x*w*w*x through a rule written by hand")
    hold_equal(got[1], g * 2 * x * w * x, "w's gradient of x*w*w*x through a rule written by hand")
    if len(calls) != 2:
        raise Violation(f"a rule used twice was called {len(calls)} times")


@contract("C5", "custom-none", Capability.CUSTOM_RULE)
def none_from_a_custom_rule_means_zero(engine: Backend, sample: Sample) -> None:
    """None from a rule written by hand means zero, where it is not refused."""
    x, w, g = (sample.array() for _ in range(3))
    add, got = engine.op(ADD), []
    first = engine.custom(lambda a, b: a + b * 0, lambda g, a, b: (g, None))

    def ask() -> None:
        got.extend(gradients_of(engine, lambda a, b: add(first(a, b), b), [x, w], g))

    if not is_refused(ask):
        hold_equal(got[0], g, "the gradient the rule gave")
        hold_equal(got[1], g, "the gradient of an operand for which the rule gave None, used elsewhere")


@contract("C5", "custom-dtype", Capability.CUSTOM_RULE)
def answer_of_another_dtype_is_refused_or_cast(engine: Backend, sample: Sample) -> None:
    """A rule's answer of another dtype than its operand is refused, or cast: the gradient keeps its dtype."""
    other = next((dtype for dtype in engine.dtypes if dtype != sample.dtype), None)
    if other is None:
        raise Unsupported(f"{engine.engine} has gradients in {sample.dtype} only")
    x, w = sample.array(), sample.array().astype(other)
    product = engine.custom(lambda a, b: a * b, lambda g, a, b: (g * b, g * a))
    (value,) = engine.forward(product, [np.array(x), np.array(w)])
    g = sample.array().astype(plain(engine, value).dtype)
    given: list[Any] = []
    if is_refused(lambda: given.extend(gradients_of(engine, product, [x, w], g))):
        return
    for got, operand, partner in zip(given, (x, w), (w, x), strict=True):
        expected = (g * partner).astype(operand.dtype)
        hold_equal(got, expected, f"the gradient of a {operand.dtype} times a {partner.dtype}, by hand")
        if got is not None and got.dtype != operand.dtype:
            raise Violation(f"a rule by hand gave a {operand.dtype} operand a gradient of {got.dtype}")


@contract("C5", "custom-constant", Capability.CUSTOM_RULE)
def answer_for_a_constant_may_be_given_or_skipped(engine: Backend, sample: Sample) -> None:
    """For an operand that needs no gradient a rule may answer None, or a cotangent that then goes nowhere."""
    for index in range(2):
        for is_skipped in (True, False):
            what = "None" if is_skipped else "a cotangent"
            got = _gradient_beside_a_constant(engine, sample, index, _answer(index, is_skipped=is_skipped))
            hold_equal(*got, f"operand {index}'s gradient where the rule answers {what} for the constant")


@contract("C5", "custom-too-few", Capability.CUSTOM_RULE)
def too_few_answers_beside_a_constant_never_go_astray(engine: Backend, sample: Sample) -> None:
    """A rule that answers only for the operand that needs a gradient is refused, or that operand gets it."""
    for index in range(2):
        answer = _answer(index, is_skipped=True)
        only = lambda g, a, b, answer=answer, index=index: (answer(g, a, b)[index],)  # noqa: E731
        given: list[Any] = []
        ask = lambda only=only, index=index, given=given: given.extend(  # noqa: E731
            _gradient_beside_a_constant(engine, sample, index, only)
        )
        if not is_refused(ask):
            hold_equal(given[0], given[1], f"operand {index}'s gradient where the rule answers for it alone")


def _answer(index: int, *, is_skipped: bool) -> Any:
    """The rule of a product, that of the other operand than `index` skipped or not."""

    def backward(g: Any, a: Any, b: Any) -> Any:
        answers = [g * b, g * a]
        if is_skipped:
            answers[1 - index] = None
        return tuple(answers)

    return backward


def _gradient_beside_a_constant(
    engine: Backend, sample: Sample, index: int, backward: Any
) -> tuple[Any, Any]:
    """Operand `index`'s gradient of a product by hand whose other operand is constant; and what it must be."""
    x, g = [sample.array(), sample.array()], sample.array()
    traced = engine.trace(engine.custom(lambda a, b: a * b, backward), [np.array(v) for v in x], [index])
    (got,) = traced.pull([engine.array(np.array(g))])
    grad = getattr(engine, "grad", None)
    if grad is not None and grad(traced.arrays[1 - index]) is not None:
        raise Violation(f"operand {1 - index} of a rule by hand needs no gradient but got one")
    return plain(engine, got), g * x[1 - index]


@contract("C5", "custom-refused", Capability.CUSTOM_RULE)
def wrong_answers_of_a_custom_rule_are_refused(engine: Backend, sample: Sample) -> None:
    """A rule written by hand that answers too few, too many or misshapen cotangents is refused."""
    x, w, g = sample.array((2, 3)), sample.array((2, 3)), sample.array((2, 3))
    wrong = {
        "a transposed cotangent": lambda g, a, b: (g.T, g),
        "one cotangent for two operands": lambda g, a, b: (g,),
        "three cotangents for two operands": lambda g, a, b: (g, g, g),
    }
    for what, backward in wrong.items():
        rule = engine.custom(lambda a, b: a + b, backward)
        if not is_refused(lambda rule=rule: gradients_of(engine, rule, [x, w], g)):
            raise Violation(f"a rule written by hand gave {what}, and was not refused")
    multiply = engine.op(MULTIPLY)
    (again,) = gradients_of(engine, lambda a: multiply(a, a), [x], g)
    hold_equal(again, 2 * g * x, "a gradient asked after the refusals")
