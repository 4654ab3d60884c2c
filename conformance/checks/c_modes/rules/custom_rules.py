"""Custom rules (C5)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from conformance.backend import Backend, Capability, Function, TapeBackend
from conformance.case import Array
from conformance.checks.comparison import hold_equal
from conformance.checks.engine_calls import (
    gradients_of,
    hold_no_stored_gradient,
    hold_working,
    is_refused,
    unless_refused,
)
from conformance.checks.observation import hold_gradient, plain
from conformance.checks.paths import gradients_reached
from conformance.checks.registry import contract, declared_convention
from conformance.checks.sample import Sample
from conformance.errors import Violation
from conformance.ops.names import ADD, MULTIPLY, NEGATIVE

# Of three operands, those that need a gradient.
SUBSETS = ((0,), (1,), (2,), (0, 1), (0, 2), (1, 2), (0, 1, 2))
SHAPES = ((3,), (2, 3), (), (3, 3), (1,), (2, 1, 3))


def _product_rule(calls: list[Any]) -> Any:
    def backward(g: Any, a: Any, b: Any) -> Any:
        calls.append(g)
        return g * b, g * a

    return backward


@contract("C5", "custom-rule", Capability.CUSTOM_RULE)
def custom_rule_is_called_once_per_use(engine: Backend, sample: Sample) -> None:
    """A custom rule is called once per use, with the cotangent of that use."""
    x, w, g = (sample.array() for _ in range(3))
    calls: list[Any] = []
    product = engine.custom(lambda a, b: a * b, _product_rule(calls))
    multiply = engine.op(MULTIPLY)
    got = gradients_of(engine, lambda a, b: multiply(product(product(a, b), b), a), [x, w], g)
    hold_equal(got[0], g * 2 * x * w * w, "x's gradient of x*w*w*x through a custom rule")
    hold_equal(got[1], g * 2 * x * w * x, "w's gradient of x*w*w*x through a custom rule")
    if len(calls) != 2:
        raise Violation(f"a custom rule used twice was called {len(calls)} times")


@contract("C5", "custom-none", Capability.CUSTOM_RULE)
def none_from_a_custom_rule_means_zero(engine: Backend, sample: Sample) -> None:
    """None from a custom rule means zero, or is refused, for whichever of its operands."""
    x, w, g = (sample.array() for _ in range(3))
    add = engine.op(ADD)
    first = engine.custom(lambda a, b: a + b * 0, lambda g, a, b: (g, None))
    got = unless_refused(lambda: gradients_of(engine, lambda a, b: add(first(a, b), b), [x, w], g))
    if got is not None:
        hold_equal(got[0], g, "the gradient of an operand for which the rule returned a cotangent")
        hold_equal(got[1], g, "the gradient of an operand for which the rule returned None, used elsewhere")
        _hold_none_of_a_result(engine, x, g)
    for kept in SUBSETS:
        skipping = engine.custom(lambda a, b, c: a + b + c, _cotangents_of(kept))
        operands = [sample.array() for _ in range(3)]
        of_each = unless_refused(partial(gradients_of, engine, skipping, operands, g))
        for i, ours in enumerate(of_each or ()):
            what = f"operand {i}'s gradient, a rule of three returning cotangents for {list(kept)} alone"
            hold_equal(ours, (i + 1) * g if i in kept else 0 * g, what)
        is_recorded = Capability.HIGHER_ORDER in engine.capabilities
        if of_each is not None and is_recorded:
            _hold_recorded(engine, skipping, operands, g, kept)


def _hold_none_of_a_result(engine: Backend, x: Array, g: Array) -> None:
    """Claim that an engine that takes None from a rule takes it where the operand is a result, too."""
    add, negative = engine.op(ADD), engine.op(NEGATIVE)
    dropping = engine.custom(lambda a: a + a, lambda g, a: (None,))

    def function(a: Any) -> Any:
        result = negative(a)
        return add(dropping(result), result)

    got = unless_refused(lambda: gradients_of(engine, function, [x], g))
    if got is None:
        raise Violation(
            "a rule returning None for its operand is refused where that is a result, and is not where it is a leaf"
        )
    hold_equal(got[0], -g, "the gradient of an operand of the op before one whose rule returned None")


def _hold_recorded(engine: Backend, op: Function, operands: Sequence[Array], g: Array, kept: Any) -> None:
    """Claim the gradients of an op that keeps some cotangents where its backward pass is recorded."""
    arrays, cotangent = [engine.array(np.array(x)) for x in operands], engine.array(np.array(g))
    pulled = unless_refused(lambda: engine.nested_vjp(op, arrays, [cotangent]), engine)
    if pulled is None:
        raise Violation(f"a rule returning cotangents for {list(kept)} alone is refused where it is recorded")
    for i, gradient in enumerate(pulled):
        if gradient is not None or i in kept:
            what = f"operand {i}'s gradient in a recorded pass, a rule returning cotangents for {list(kept)} alone"
            hold_gradient(engine, gradient, (i + 1) * g if i in kept else 0 * g, what)


def _cotangents_of(kept: Sequence[int]) -> Any:
    """A rule that returns g, 2 g, 3 g for those of three operands, and None for the others."""

    def backward(g: Any, *operands: Any) -> Any:
        return tuple([g, g + g, g + g + g][i] if i in kept else None for i in range(len(operands)))

    return backward


@contract("C5", "custom-constant", Capability.CUSTOM_RULE)
def rule_may_return_none_or_a_cotangent_for_a_constant(engine: Backend, sample: Sample) -> None:
    """For an operand that needs no gradient a rule may return None, or a cotangent, which is dropped."""
    for index in range(2):
        for is_skipped in (True, False):
            what = "None" if is_skipped else "a cotangent"
            rule = _product_rule_for(index, is_skipped=is_skipped)
            got = _gradient_beside_a_constant(engine, sample, index, rule, is_skipped=is_skipped)
            hold_equal(*got, f"operand {index}'s gradient where the rule returns {what} for the constant")


@contract("C5", "custom-too-few", Capability.CUSTOM_RULE)
def too_few_cotangents_beside_a_constant_are_refused_or_assigned_rightly(
    engine: Backend, sample: Sample
) -> None:
    """A rule that returns one cotangent, for the operand that needs it, is refused, or that operand gets it."""
    for index in range(2):
        rule = _product_rule_for(index, is_skipped=True)
        only = lambda g, a, b, rule=rule, index=index: (rule(g, a, b)[index],)  # noqa: E731
        beside = partial(_gradient_beside_a_constant, engine, sample, index, only, is_skipped=True)
        result = unless_refused(beside)
        if result is not None:
            what = f"operand {index}'s gradient where the rule returns a cotangent for it alone"
            hold_equal(*result, what)


@contract("C5", "custom-of-three", Capability.CUSTOM_RULE)
def rule_of_three_operands_gives_each_its_own_cotangent(engine: Backend, sample: Sample) -> None:
    """Of a custom rule's three operands any may be constants: each of the others gets its own cotangent."""
    operands, g = [sample.array() for _ in range(3)], sample.array()

    def backward(g: Any, a: Any, b: Any, c: Any) -> Any:
        return g * b * c, g * a * c, g * a * b

    product = engine.custom(lambda a, b, c: a * b * c, backward)
    for wrt in SUBSETS:
        traced = engine.trace(product, [np.array(x) for x in operands], wrt)
        pulled = traced.pull([engine.array(np.array(g))])
        for i, gradient in zip(wrt, pulled, strict=True):
            others = [x for j, x in enumerate(operands) if j != i]
            what = f"operand {i}'s gradient by the rule of a product of three, of which {list(wrt)} need one"
            hold_gradient(engine, gradient, g * others[0] * others[1], what)
    a, b, _ = operands
    for places in ((0, 0, 1), (0, 1, 0), (1, 0, 0)):
        got = gradients_of(engine, lambda *xs, p=places: product(*(xs[i] for i in p)), [a, b], g)
        for gradient, right, name in zip(got, (2 * g * a * b, g * a * a), "ab", strict=True):
            hold_equal(gradient, right, f"{name}'s gradient of a·a·b by one rule, which has them in {places}")


@contract("C5", "second-of-three", Capability.CUSTOM_RULE, Capability.HIGHER_ORDER)
def custom_rule_of_three_operands_is_differentiated_again(engine: Backend, sample: Sample) -> None:
    """The gradients of a custom rule of three operands are differentiated by each of them and by the cotangent."""
    values = [sample.array((3,)) for _ in range(4)]
    a, b, c, g = values
    v = sample.array((3,))
    products = {"one rule": engine.custom(lambda a, b, c: a * b * c, _products_of_others)}
    if Capability.NEEDED_OPERANDS in engine.capabilities:
        products["a rule of each"] = engine.custom_by_operand(
            lambda a, b, c: a * b * c, lambda i, gs, xs, zs: _products_of_others(gs[0], *xs)[i]
        )
    for what, product in products.items():
        for i, others in enumerate(((b, c), (a, c), (a, b))):

            def first(x: Any, y: Any, z: Any, p: Any, i: int = i, product: Any = product) -> Any:
                return engine.nested_vjp(product, [x, y, z], [p])[i]

            right = [0 * v if j == i else g * values[3 - i - j] * v for j in range(3)]
            right.append(others[0] * others[1] * v)
            got = gradients_reached(engine, first, values, v, right)
            for ours, expected, by in zip(got, right, ("a", "b", "c", "the cotangent"), strict=True):
                hold_equal(
                    ours, expected, f"the derivative by {by} of operand {i}'s gradient of abc by {what}"
                )


def _products_of_others(g: Any, a: Any, b: Any, c: Any) -> Any:
    """The cotangents of the factors of a product of three."""
    return g * b * c, g * a * c, g * a * b


@contract("C5", "custom-second", Capability.CUSTOM_RULE, Capability.HIGHER_ORDER)
def custom_rule_is_differentiated_for_any_shape(engine: Backend, sample: Sample) -> None:
    """A custom rule's results are differentiated by operands and cotangent, for numbers, vectors, matrices and stacks."""
    shapes = SHAPES[sample.seed % len(SHAPES) :][:1] if engine.compiles_signatures else SHAPES
    op = engine.custom(lambda a, b: a * a * b, lambda g, a, b: (g * (a * b + a * b), g * a * a))
    for shape in shapes:
        a, b, g, v = (sample.array(shape) for _ in range(4))
        derivatives = (
            (2 * g * b * v, 2 * g * a * v, 2 * a * b * v),
            (2 * g * a * v, 0 * v, a * a * v),
        )
        for i, expected in enumerate(derivatives):

            def first(x: Any, w: Any, p: Any, i: int = i) -> Any:
                return engine.nested_vjp(op, [x, w], [p])[i]

            got = gradients_of(engine, first, [a, b, g], v)
            for ours, right, by in zip(got, expected, ("a", "b", "the cotangent"), strict=True):
                what = f"the derivative by {by} of operand {i}'s gradient through a²b of shape {shape}"
                hold_equal(ours, right, what)


def _product_rule_for(index: int, *, is_skipped: bool) -> Any:
    """The rule of a product; with `is_skipped`, None for the operand that is not `index`."""

    def backward(g: Any, a: Any, b: Any) -> Any:
        cotangents = [g * b, g * a]
        if is_skipped:
            cotangents[1 - index] = None
        return tuple(cotangents)

    return backward


def _gradient_beside_a_constant(
    engine: Backend, sample: Sample, index: int, backward: Any, *, is_skipped: bool
) -> tuple[Any, Any]:
    """Operand `index`'s gradient through `backward` of a product with a constant; then what is expected.

    `is_skipped` says that the rule returns no cotangent for the constant: an engine that marks no constants has none to store.
    """
    x, g = [sample.array(), sample.array()], sample.array()
    traced = engine.trace(engine.custom(lambda a, b: a * b, backward), [np.array(v) for v in x], [index])
    (got,) = traced.pull([engine.array(np.array(g))])
    constant, what = traced.arrays[1 - index], f"operand {1 - index} of a custom rule"
    hold_no_stored_gradient(engine, constant, what, has_one=not is_skipped)
    if is_skipped and isinstance(engine, TapeBackend) and declared_convention(engine, "C4") == "stored":
        stored = engine.grad(constant)
        if stored is not None and plain(engine, stored).any():
            raise Violation(f"{what}, for which the rule returned no cotangent, got a gradient")
    return plain(engine, got), g * x[1 - index]


@contract("C5", "custom-refused", Capability.CUSTOM_RULE)
def wrong_cotangents_of_a_custom_rule_are_refused(engine: Backend, sample: Sample) -> None:
    """A custom rule that returns too few cotangents, none at all, too many, or one of a wrong shape, is refused."""
    x, w, g = sample.array((2, 3)), sample.array((2, 3)), sample.array((2, 3))
    wrong = {
        "a transposed cotangent": lambda g, a, b: (g.T, g),
        "one cotangent for two operands": lambda g, a, b: (g,),
        "no cotangents for two operands": lambda g, a, b: (),
        "three cotangents for two operands": lambda g, a, b: (g, g, g),
    }
    for what, backward in wrong.items():
        rule = engine.custom(lambda a, b: a + b, backward)
        if not is_refused(lambda rule=rule: gradients_of(engine, rule, [x, w], g)):
            raise Violation(f"a custom rule gave {what}, and was not refused")
    multiply = engine.op(MULTIPLY)
    (again,) = gradients_of(engine, lambda a: multiply(a, a), [x], g)
    hold_equal(again, 2 * g * x, "a gradient computed after the refusals")


@contract("C5", "custom-smaller", Capability.CUSTOM_RULE)
def smaller_cotangent_of_a_custom_rule_is_refused(engine: Backend, sample: Sample) -> None:
    """A custom rule's cotangent of one entry, which would broadcast to its operand's shape, is refused."""
    double = engine.custom(lambda a: a + a, lambda g, a: (g.T @ a,))
    for shape, given in (((3, 1), (1, 1)), ((3,), ())):
        x, g = sample.array(shape), sample.array(shape)
        if not is_refused(partial(gradients_of, engine, double, [x], g)):
            raise Violation(f"a cotangent of shape {given} for an operand of {shape} was not refused")
    hold_working(engine, sample, "after the refusals")


@contract("C5", "custom-further-axis", Capability.CUSTOM_RULE)
def cotangent_with_a_further_axis_is_refused_or_fitted(engine: Backend, sample: Sample) -> None:
    """A custom rule's cotangent with a further axis of one entry in front is refused, or made one of its operand's shape."""
    ones = np.ones((1, 3), sample.dtype)
    double = engine.custom(lambda a, b: a + a, lambda g, a, b: (g * b + g * b, None))
    x, g = sample.array((3,)), sample.array((3,))
    answer = unless_refused(
        lambda: engine.vjp(double, [np.array(x), np.array(ones)], [np.array(g)], [0]), engine
    )
    if answer is not None:
        got = plain(engine, answer[1][0])
        hold_equal(
            got,
            2 * g,
            "the gradient of 2x, whose rule gives a cotangent of shape (1, 3) for an operand of (3,)",
        )
