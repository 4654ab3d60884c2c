"""Custom rules of several outputs, which use what they computed, and rules of which only a part is needed (C5)."""

from __future__ import annotations

from functools import partial
from itertools import product
from typing import Any

import numpy as np

from conformance.backend import Backend, Capability, Function
from conformance.checks.comparison import hold_equal
from conformance.checks.engine_calls import gradients_of, unless_refused
from conformance.checks.observation import hold_gradient, plain
from conformance.checks.registry import NotThisCase, contract
from conformance.checks.sample import Sample
from conformance.checks.wrappers import wrappers_of
from conformance.errors import Violation
from conformance.ops.names import ADD, MULTIPLY, NEGATIVE
from conformance.trace import aside

SUBSETS = ((0,), (1,), (2,), (0, 2), (1, 2), (0, 1, 2))  # of three operands, those that need a gradient


def ab_and_a2b(engine: Backend) -> Function:
    """The op (ab, a²b), whose rule uses its first output."""

    def backward(index: int, cotangents: Any, operands: Any, outputs: Any) -> Any:
        (a, b), (g, h), (ab, _) = operands, cotangents, outputs
        return g * b + h * ab + h * ab if index == 0 else g * a + h * a * a

    return engine.custom_by_operand(lambda a, b: (a * b, a * b * a), backward)


def _three_outputs(engine: Backend) -> Function:
    """The op (ab, a²b, b + b)."""

    def backward(index: int, cotangents: Any, operands: Any, outputs: Any) -> Any:
        (a, b), (g, h, k) = operands, cotangents
        return g * b + h * a * b + h * a * b if index == 0 else g * a + h * a * a + k + k

    return engine.custom_by_operand(lambda a, b: (a * b, a * b * a, b + b), backward)


@contract("C5", "several-outputs", Capability.SEVERAL_OUTPUTS)
def rule_gets_a_cotangent_for_each_output(engine: Backend, sample: Sample) -> None:
    """A custom rule gets the cotangent of each output, summed over its uses, and zeros for one that is not used."""
    multiply, add, op = engine.op(MULTIPLY), engine.op(ADD), ab_and_a2b(engine)
    x, w, g = (sample.array((3,)) for _ in range(3))
    first, second = (g * w, g * x), (2 * g * x * w, g * x * x)
    graphs: dict[str, tuple[Function, Any, Any]] = {
        "the first alone": (lambda z, s: z, *first),
        "the second alone": (lambda z, s: s, *second),
        "both": (add, first[0] + second[0], first[1] + second[1]),
        "the first twice": (lambda z, s: add(z, z), 2 * first[0], 2 * first[1]),
        "the second twice, the first once": (
            lambda z, s: add(add(s, z), s),
            first[0] + 2 * second[0],
            first[1] + 2 * second[1],
        ),
        "their product": (multiply, 3 * g * x * x * w * w, 2 * g * x * x * x * w),
    }
    chosen = list(graphs)[sample.seed % 3 :: 3] if engine.compiles_signatures else graphs
    for what in chosen:
        used, *expected = graphs[what]
        got = gradients_of(engine, lambda a, b, used=used: used(*op(a, b)), [x, w], g)
        for i, gradient in enumerate(got):
            hold_equal(
                gradient, expected[i], f"operand {i}'s gradient through (ab, a²b), of which {what} is used"
            )
    three = _three_outputs(engine)

    def once_twice_thrice(a: Any, b: Any) -> Any:
        z, s, t = three(a, b)
        return add(add(z, add(s, s)), add(t, add(t, t)))

    got = gradients_of(engine, once_twice_thrice, [x, w], g)
    for gradient, right, name in zip(
        got, (g * w + 4 * g * x * w, g * x + 2 * g * x * x + 6 * g), "xw", strict=True
    ):
        hold_equal(gradient, right, f"{name}'s gradient through three outputs, used once, twice, thrice")


@contract("C5", "output-dtypes", Capability.SEVERAL_OUTPUTS)
def rule_gets_cotangents_of_its_outputs_dtypes(engine: Backend, sample: Sample) -> None:
    """A custom rule gets cotangents of its outputs' dtype, also for an output that is not used; one output may be a tuple of one."""
    if engine.compiles_functions:
        raise NotThisCase("within a compiled function no array can be looked at")
    seen: list[Any] = []

    def backward(index: int, cotangents: Any, operands: Any, outputs: Any) -> Any:
        seen.extend(cotangents)
        return cotangents[0] + cotangents[0]

    two = engine.custom_by_operand(lambda a: (a + a, a * a), backward)
    one = engine.custom_by_operand(lambda a: (a + a,), backward)
    for dtype in engine.dtypes:
        x, g = (np.sign(sample.array((3,))).astype(dtype) for _ in range(2))
        for op, what in ((two, "two outputs, of which the first is used"), (one, "a tuple of one output")):
            seen.clear()  # a script being written has called the rule for its formula
            (got,) = gradients_of(engine, partial(_first_of, op, what), [x], g)
            hold_equal(got, g + g, f"the gradient of x + x by a rule of {what}, in {dtype}")
            with aside():  # the script does not name what the rule was given
                dtypes = [plain(engine, cotangent).dtype.name for cotangent in seen]
            if wrong := [other for other in dtypes if other != dtype]:
                raise Violation(f"a rule of {what} got a cotangent of {wrong[0]} for an output of {dtype}")


def _first_of(op: Function, what: str, a: Any) -> Any:
    outputs = op(a)
    if not isinstance(outputs, tuple):
        raise Violation(f"the value of a custom op of {what} is {type(outputs).__name__}, no tuple")
    return outputs[0]


@contract("C5", "saved-outputs", Capability.SEVERAL_OUTPUTS, Capability.HIGHER_ORDER)
def outputs_in_a_rule_are_differentiated(engine: Backend, sample: Sample) -> None:
    """The derivative of a rule that uses an output of its op goes through that output, and through both cotangents."""
    op = ab_and_a2b(engine)
    a, b, g, h, v = (sample.array((3,)) for _ in range(5))
    derivatives = (
        (2 * h * b * v, (g + 2 * h * a) * v, b * v, 2 * a * b * v),
        ((g + 2 * h * a) * v, 0 * v, a * v, a * a * v),
    )
    for i, expected in enumerate(derivatives):

        def first(x: Any, w: Any, p: Any, q: Any, i: int = i) -> Any:
            return engine.nested_vjp(op, [x, w], [p, q])[i]

        got = gradients_of(engine, first, [a, b, g, h], v)
        for j, (ours, right) in enumerate(zip(got, expected, strict=True)):
            named = ("a", "b", "the first cotangent", "the second cotangent")[j]
            hold_equal(ours, right, f"the derivative by {named} of operand {i}'s gradient through (ab, a²b)")


@contract("C5", "needed", Capability.NEEDED_OPERANDS)
def rule_is_not_called_for_constants(engine: Backend, sample: Sample) -> None:
    """A custom rule is called once for each operand that needs a gradient, and not for the others."""
    operands, g = [sample.array((3,)) for _ in range(3)], sample.array((3,))
    called: list[int] = []

    def backward(index: int, cotangents: Any, xs: Any, outputs: Any) -> Any:
        called.append(index)
        others = [x for i, x in enumerate(xs) if i != index]
        return cotangents[0] * others[0] * others[1]

    product = engine.custom_by_operand(lambda a, b, c: a * b * c, backward)
    for wrt in SUBSETS:
        called.clear()
        _, gradients = engine.vjp(product, [np.array(x) for x in operands], [np.array(g)], wrt)
        for i, gradient in zip(wrt, gradients, strict=True):
            others = [x for j, x in enumerate(operands) if j != i]
            hold_gradient(engine, gradient, g * others[0] * others[1], f"operand {i}'s gradient, wrt={wrt}")
        if sorted(called) != list(wrt):
            raise Violation(
                f"the operands {list(wrt)} need a gradient; the rule was called for {sorted(called)}"
            )


@contract("C5", "needed-recorded", Capability.NEEDED_OPERANDS, Capability.HIGHER_ORDER)
def rule_is_not_called_for_constants_in_a_recorded_backward(engine: Backend, sample: Sample) -> None:
    """In a backward pass that is recorded a custom rule is called for the operands that need a gradient alone, too."""
    x, w, g = (sample.array((3,)) for _ in range(3))
    called: list[int] = []

    def backward(index: int, cotangents: Any, xs: Any, outputs: Any) -> Any:
        called.append(index)
        return cotangents[0] * xs[1 - index]

    product, constant = engine.custom_by_operand(lambda a, b: a * b, backward), engine.array(np.array(w))
    for needed in range(2):

        def function(a: Any, needed: int = needed) -> Any:
            return product(*((a, constant) if needed == 0 else (constant, a)))

        arrays, cotangent = [engine.array(np.array(x))], engine.array(np.array(g))
        called.clear()
        (got,) = engine.nested_vjp(function, arrays, [cotangent])
        hold_gradient(engine, got, g * w, f"the recorded gradient of operand {needed} beside a constant")
        if called != [needed]:
            raise Violation(f"operand {needed} alone needs a gradient; the rule was called for {called}")


@contract("C5", "needed-of-results", Capability.NEEDED_OPERANDS, Capability.DETACH)
def rule_is_not_called_for_results_that_need_no_gradient(engine: Backend, sample: Sample) -> None:
    """A custom rule is not called for a detached result, and is called for one that is not."""
    add = engine.op(ADD)
    x, w, g = (sample.array((3,)) for _ in range(3))
    called: list[int] = []

    def backward(index: int, cotangents: Any, xs: Any, outputs: Any) -> Any:
        called.append(index)
        return cotangents[0] * xs[1 - index]

    product = engine.custom_by_operand(lambda a, b: a * b, backward)

    def function(a: Any, b: Any) -> Any:
        return product(engine.detach(add(a, a)), add(b, b))

    called.clear()  # a script being written has called the rule for its formula
    got = gradients_of(engine, function, [x, w], g)
    hold_equal(got[1], 4 * g * x, "the gradient of w in (x + x) * (w + w), x + x detached")
    if called != [1]:
        raise Violation(f"operand 1 alone needs a gradient; the rule was called for {called}")


@contract("C5", "forward", Capability.CUSTOM_RULE, Capability.FORWARD)
def custom_rule_in_forward_mode_is_refused_or_right(engine: Backend, sample: Sample) -> None:
    """In forward mode a custom rule, of one output or two, is refused, or each output has its own tangent."""
    x, w, s, t = (sample.array((3,)) for _ in range(4))
    product = engine.custom(lambda a, b: a * b, lambda g, a, b: (g * b, g * a))
    of_product, of_a2b = s * w + x * t, 2 * x * w * s + x * x * t
    ops: dict[str, tuple[Function, tuple[Any, ...]]] = {"ab": (product, (of_product,))}
    if Capability.SEVERAL_OUTPUTS in engine.capabilities:
        ops["(ab, a²b)"] = (ab_and_a2b(engine), (of_product, of_a2b))
    for what, (op, expected) in ops.items():
        pushed = unless_refused(
            partial(engine.jvp, op, [np.array(x), np.array(w)], [np.array(s), np.array(t)]), engine
        )
        if pushed is None:
            continue
        for i, (tangent, right) in enumerate(zip(pushed[1], expected, strict=True)):
            got = None if tangent is None else plain(engine, tangent)
            hold_equal(got, right, f"the tangent of output {i} of {what} by a custom rule")


@contract("C5", "one-array", Capability.CUSTOM_RULE)
def array_that_a_rule_returns_for_both_operands_is_of_each(engine: Backend, sample: Sample) -> None:
    """A custom rule may return one new array for both operands: what else arrives at one of them, before or after, does not reach the other."""
    add, multiply, negative = engine.op(ADD), engine.op(MULTIPLY), engine.op(NEGATIVE)

    def backward(g: Any, a: Any, b: Any) -> Any:
        twice = g + g
        return twice, twice

    total = engine.custom(lambda a, b: a + a + b + b, backward)
    for place, is_earlier in product((0, 1), (True, False)):
        x, w, v, g = (sample.array((3,)) for _ in range(4))
        weight = engine.array(np.array(v))

        def function(
            a: Any, b: Any, place: int = place, is_earlier: bool = is_earlier, v: Any = weight
        ) -> Any:
            operands = [negative(a), negative(b)]
            beside = multiply(operands[place], v) if is_earlier else None
            both = total(*operands)
            return add(both, multiply(operands[place], v) if beside is None else beside)

        found = gradients_of(engine, function, [x, w], g)
        when = "before" if is_earlier else "after"
        for i, (got, name) in enumerate(zip(found, "xw", strict=True)):
            expected = -2 * g - (g * v if i == place else 0)
            used = f"operand {place} also used {when} it"
            what = f"{name}'s gradient of -2x - 2w by a rule that returns one array twice, {used}"
            hold_equal(got, expected, what)


@contract("C5", "own-slope", Capability.CUSTOM_RULE)
def rule_that_is_no_derivative_is_used_in_every_mode(engine: Backend, sample: Sample) -> None:
    """A custom rule that is not the derivative of what its op computes is used in checkpointed, compiled and vectorized functions, too."""
    op = engine.custom(lambda a: a + a + a, lambda g, a: (g + g,))
    for what, make in wrappers_of(engine):
        x, g = sample.array((3,)), sample.array((3,))
        function = make(lambda a: op(a))
        (output,), (got,) = engine.vjp(function, [np.array(x)], [np.array(g)])
        hold_equal(plain(engine, output), 3 * x, f"the value of 3x whose rule says 2, {what}")
        slope = None if got is None else plain(engine, got)
        hold_equal(slope, 2 * g, f"the gradient of 3x whose rule says 2, {what}")


@contract("C5", "own-slope-second", Capability.CUSTOM_RULE, Capability.HIGHER_ORDER)
def rule_that_is_no_derivative_is_differentiated_in_every_mode(engine: Backend, sample: Sample) -> None:
    """The second derivative through such a rule, in checkpointed, compiled and vectorized functions, is that of the rule, not of what its op computes."""
    op = engine.custom(lambda a: a * a, lambda g, a: (g * a * a,))
    for what, make in wrappers_of(engine):
        x, g, v = (sample.array((3,)) for _ in range(3))

        def first(a: Any, h: Any, make: Any = make) -> Any:
            return engine.nested_vjp(make(lambda b: op(b)), [a], [h])[0]

        derivatives = gradients_of(engine, first, [x, g], v)
        for got, right, by in zip(derivatives, (2 * g * x * v, x * x * v), ("x", "g"), strict=True):
            hold_equal(
                got,
                right,
                f"of g x², which a custom rule gives as x's gradient, the derivative by {by}, {what}",
            )
