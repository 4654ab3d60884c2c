"""Probes, which try each declared capability once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from conformance.backend import Backend, Capability, Function, FunctionalBackend
from conformance.checks.b_graph import accumulation
from conformance.checks.c_modes import anomaly, detach, frozen_leaves, hooks, no_grad, transforms
from conformance.checks.c_modes.flow import branches, scans
from conformance.checks.c_modes.rules import rules_by_operand
from conformance.checks.comparison import hold_equal
from conformance.checks.d_mutation import in_place
from conformance.checks.engine_calls import full_sum, gradients_of, tape_of
from conformance.checks.observation import hold_gradient, overwrite, plain
from conformance.checks.registry import CheckFunction, check
from conformance.checks.same_form import hold_same_structure
from conformance.checks.sample import Sample
from conformance.errors import Violation
from conformance.ops.names import ADD, MULTIPLY, NEGATIVE, REAL


def probe(
    capability: Capability, *, is_about_outcome: bool = False
) -> Callable[[CheckFunction], CheckFunction]:
    """Register the probe of a capability; it runs whether or not the capability is declared."""
    return check(
        "capability",
        f"capability {capability.name.lower()}",
        capability.name.lower().replace("_", "-"),
        is_about_outcome=is_about_outcome,
    )


def doubled(engine: Backend) -> Function:
    """x + x, of an op that every adapter has."""
    add = engine.op(ADD)
    return lambda a: add(a, a)


@probe(Capability.TAPE)
def leaves_keep_gradients(engine: Backend, sample: Sample) -> None:
    """Leaves keep the gradients that backward computes."""
    tape, g = tape_of(engine), sample.array()
    leaf = tape.leaf(sample.array())
    tape.backward(doubled(engine)(leaf), tape.array(np.array(g)))
    hold_equal(plain(tape, tape.grad(leaf)), 2 * g, "the gradient of x + x kept at a leaf")


@probe(Capability.CLEARING)
def gradients_can_be_cleared(engine: Backend, sample: Sample) -> None:
    """A leaf's gradient can be cleared."""
    accumulation.cleared_gradient_starts_from_zero(engine, sample)


@probe(Capability.FREEZING)
def leaves_can_be_frozen(engine: Backend, sample: Sample) -> None:
    """A leaf that is frozen gets no gradient, and the other its own."""
    frozen_leaves.frozen_leaf_gets_no_gradient(engine, sample)


@probe(Capability.RETAINING)
def graphs_can_be_differentiated_again(engine: Backend, sample: Sample) -> None:
    """Backward can run twice on one graph."""
    x, g = sample.array(), sample.array()
    double = doubled(engine)
    if isinstance(engine, FunctionalBackend):
        _, pulled = engine.pullback(double, [engine.array(x)])
        for _ in range(2):
            hold_equal(plain(engine, pulled(engine.array(np.array(g)))[0]), 2 * g, "a pullback called again")
        return
    tape = tape_of(engine)
    leaf = tape.leaf(x)
    output = double(leaf)
    for _ in range(2):
        tape.backward(output, tape.array(np.array(g)), retain=True)
    got = plain(tape, tape.grad(leaf))
    total = 2 * g if np.array_equal(got, 2 * g) else 4 * g  # whether the second adds to the first is B3
    hold_equal(got, total, "the gradient of x + x after two backward calls, which add up or replace")


@probe(Capability.WRITABLE, is_about_outcome=True)
def arrays_can_be_written(engine: Backend, sample: Sample) -> None:
    """Writing into an array's memory changes the array."""
    array = engine.array(sample.array())
    overwrite(engine, array, 7.0, "an array")
    if not (plain(engine, array) == 7.0).all():
        raise Violation("memory() is not the array's own memory: a write into it does not change the array")


@probe(Capability.NO_GRAD)
def recording_can_be_stopped(engine: Backend, sample: Sample) -> None:
    """There is a scope in which nothing is recorded."""
    no_grad.no_grad_scope_records_nothing(engine, sample)


@probe(Capability.DETACH)
def values_can_be_detached(engine: Backend, sample: Sample) -> None:
    """A value can be detached."""
    detach.detached_value_is_a_constant(engine, sample)


@probe(Capability.CUSTOM_RULE)
def custom_rules_are_used(engine: Backend, sample: Sample) -> None:
    """The gradient of an op with a custom rule is that of the rule."""
    rule = engine.custom(lambda a: a + a, lambda g, a: (g + g + g,))
    g = sample.array()
    (got,) = gradients_of(engine, rule, [sample.array()], g)
    hold_equal(got, 3 * g, "the gradient from a rule that triples (its value only doubles)")


@probe(Capability.SEVERAL_OUTPUTS)
def custom_rules_have_several_outputs(engine: Backend, sample: Sample) -> None:
    """The gradient of a sum of two outputs is that of the rule, which uses an output."""
    rules_by_operand.rule_gets_a_cotangent_for_each_output(engine, sample)


@probe(Capability.NEEDED_OPERANDS)
def custom_rules_are_called_for_needed_operands(engine: Backend, sample: Sample) -> None:
    """A rule is not called for an operand that needs no gradient."""
    rules_by_operand.rule_is_not_called_for_constants(engine, sample)


@probe(Capability.FORWARD_RULES)
def custom_rules_push_tangents(engine: Backend, sample: Sample) -> None:
    """The tangent of an op with a custom rule of forward mode is that of the rule."""
    op = engine.custom_forward(lambda a: a + a, lambda xs, ts: ts[0] + ts[0] + ts[0])
    x, t = sample.array(), sample.array()
    _, pushed = engine.jvp(op, [np.array(x)], [np.array(t)])
    hold_equal(
        plain(engine, pushed[0]), 3 * t, "the tangent from a rule that triples (its value only doubles)"
    )


@probe(Capability.GRAPH, is_about_outcome=True)
def graph_can_be_read(engine: Backend, sample: Sample) -> None:
    """The graph of a computation can be read: the node of a negation, or else of a product, has one input, or two, that is no constant."""
    has_one = NEGATIVE in engine.ops
    op, expected = (NEGATIVE, 1) if has_one else (MULTIPLY, 2)
    leaves = [tape_of(engine).leaf(sample.array()) for _ in range(expected)]
    inputs = engine.graph(engine.op(op)(*leaves)).inputs
    count = sum(node is not None for node in inputs)  # an engine may multiply by a constant
    if count != expected:
        raise Violation(f"the node of {op} has {count} inputs that are no constants, expected {expected}")


@probe(Capability.DEEP)
def deep_graphs_are_possible(engine: Backend, sample: Sample) -> None:
    """A chain of 1 000 products, each with -1, is recorded and differentiated; 10 000 nodes are what B11 asks where it is declared."""
    multiply, g = engine.op(MULTIPLY), sample.array()
    minus = engine.array(-np.ones_like(g))

    def chain(a: Any) -> Any:
        for _ in range(1000):
            a = multiply(a, minus)
        return a

    (got,) = gradients_of(engine, chain, [sample.array()], g)
    hold_equal(got, g, "the gradient through 1 000 products with -1")


@probe(Capability.COMPILING)
def functions_can_be_compiled(engine: Backend, sample: Sample) -> None:
    """A function can be compiled and differentiated."""
    transforms.compiled_function_remembers_no_value(engine, sample)


@probe(Capability.VECTORIZING)
def functions_can_be_vectorized(engine: Backend, sample: Sample) -> None:
    """A function can be mapped over the leading axis and differentiated."""
    transforms.vectorized_function_equals_the_loop(engine, sample)


@probe(Capability.CHECKPOINTING)
def functions_can_be_checkpointed(engine: Backend, sample: Sample) -> None:
    """A checkpointed function has a gradient."""
    multiply, x, g = engine.op(MULTIPLY), sample.array(), sample.array()
    (got,) = gradients_of(engine, engine.checkpoint(lambda a: multiply(a, a)), [x], g)
    hold_equal(got, 2 * g * x, "the gradient of a checkpointed x * x")


@probe(Capability.LOOPS)
def engine_has_loops(engine: Backend, sample: Sample) -> None:
    """A loop of the engine's own has the gradients of its steps."""
    scans.loop_has_the_gradients_of_its_steps(engine, sample)


@probe(Capability.BRANCHES)
def engine_has_branches(engine: Backend, sample: Sample) -> None:
    """A branch of the engine's own has the gradients of the function that is called."""
    branches.branch_has_the_gradients_of_the_one_taken(engine, sample)


@probe(Capability.HOOKS)
def hooks_are_called(engine: Backend, sample: Sample) -> None:
    """A hook is called, and what it returns replaces the cotangent."""
    hooks.hooks_are_called_in_order_and_may_replace(engine, sample)


@probe(Capability.ANOMALY, is_about_outcome=True)
def anomalies_are_named(engine: Backend, sample: Sample) -> None:
    """The op whose rule made a NaN is named."""
    anomaly.op_that_made_the_first_nan_is_named(engine, sample)


@probe(Capability.RECORDED_WRITES)
def writes_are_recorded(engine: Backend, sample: Sample) -> None:
    """A write in place is recorded."""
    in_place.overwritten_region_receives_zero(engine, sample)


@probe(Capability.HIGHER_ORDER)
def gradients_can_be_differentiated(engine: Backend, sample: Sample) -> None:
    """A gradient is recorded, and has a gradient."""
    x, g, h = (sample.array() for _ in range(3))
    multiply = engine.op(MULTIPLY)

    def first(a: Any) -> Any:
        (gradient,) = engine.nested_vjp(lambda b: multiply(b, b), (a,), (engine.array(np.array(h)),))
        return gradient

    outputs, (second,) = engine.vjp(first, [np.array(x)], [np.array(g)])
    hold_equal(plain(engine, outputs[0]), 2 * h * x, "the gradient of x * x inside another function")
    hold_equal(plain(engine, second), 2 * h * g, "the gradient of the gradient of x * x")


@probe(Capability.FORWARD)
def tangents_can_be_pushed(engine: Backend, sample: Sample) -> None:
    """Tangents are pushed forward along with the value."""
    x, w, s, t = (sample.array() for _ in range(4))
    operands, tangents = [np.array(x), np.array(w)], [np.array(s), np.array(t)]
    outputs, pushed = engine.jvp(engine.op(MULTIPLY), operands, tangents)
    hold_equal(plain(engine, outputs[0]), x * w, "the value beside a tangent")
    hold_equal(plain(engine, pushed[0]), s * w + x * t, "the tangent of x * w")


@probe(Capability.VALUE_WITH_GRADIENT)
def value_comes_with_the_gradient(engine: Backend, sample: Sample) -> None:
    """The value of a product comes with its gradients."""
    x, w = sample.array(), sample.array()
    multiply, total = engine.op(MULTIPLY), full_sum(engine)
    arrays = [engine.array(np.array(each)) for each in (x, w)]
    value, gradients, _ = engine.value_and_gradient(lambda a, b: total(multiply(a, b)), arrays, (0, 1))
    hold_equal(plain(engine, value), (x * w).sum(), "the value of sum(x * w) with its gradients")
    for got, slope, name in zip(gradients, (w, x), "xw", strict=True):
        hold_gradient(engine, got, slope, f"{name}'s gradient of sum(x * w) with its value")


@probe(Capability.STRUCTURES)
def operands_can_be_structures(engine: Backend, sample: Sample) -> None:
    """The gradient with respect to a structure has the same structure."""
    w, x, y, z = (sample.array() for _ in range(4))
    multiply, add, total = engine.op(MULTIPLY), engine.op(ADD), full_sum(engine)

    def loss(s: Any) -> Any:
        return total(add(multiply(s["w"], s["b"][0]), multiply(s["w"], s["b"][1][0])))

    given = {"w": np.array(w), "b": [np.array(x), (np.array(y),)], "unused": {"z": np.array(z)}}
    got = engine.structured_gradient(loss, given)
    hold_same_structure(got, given)
    for gradient, expected, name in (
        (got["w"], x + y, "w"),
        (got["b"][0], w, "b[0]"),
        (got["b"][1][0], w, "b[1][0]"),
    ):
        hold_gradient(engine, gradient, expected, f"the gradient at {name} of a structure")


@probe(Capability.JACOBIANS)
def jacobians_can_be_computed_whole(engine: Backend, sample: Sample) -> None:
    """The Jacobian of a product by its first factor has the second factor on its diagonal; the Hessian of x² is twice the identity."""
    x, w = sample.array((3,)), sample.array((3,))
    multiply, total = engine.op(MULTIPLY), full_sum(engine)
    found = engine.jacobian(multiply, [np.array(x), np.array(w)])
    hold_equal(plain(engine, found[0]), np.diag(w), "the Jacobian of x * w by x")
    (hessian,) = engine.jacobian(lambda a: total(multiply(a, a)), [np.array(x)], "hessian")
    hold_equal(plain(engine, hessian), 2 * np.eye(3, dtype=x.dtype), "the Hessian of the sum of x * x")


@probe(Capability.COMPLEX)
def complex_operands_have_gradients(engine: Backend, sample: Sample) -> None:
    """The gradient of a complex operand has both parts, conjugated or not."""
    z, c, g = sample.complex_array(), sample.complex_array(), sample.array()
    multiply, constant = engine.op(MULTIPLY), engine.array(np.array(c))
    real = engine.op(REAL) if REAL in engine.ops else None
    what, value = ("real(z * c)", (z * c).real) if real else ("z * c", z * c)

    def function(a: Any) -> Any:
        return real(multiply(a, constant)) if real else multiply(a, constant)

    outputs, (got,) = engine.vjp(function, [np.array(z)], [g.astype(value.dtype)])
    hold_equal(plain(engine, outputs[0]), value, f"the value of {what}")
    expected = g * c if np.array_equal(plain(engine, got), g * c) else g * np.conj(c)
    hold_gradient(engine, got, expected, f"the gradient of {what}, which is c or its conjugate")
