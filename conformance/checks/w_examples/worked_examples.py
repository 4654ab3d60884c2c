"""Chapter W: small computations with their exact gradients, explained."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from conformance.backend import Backend, Capability, TapeBackend
from conformance.case import Array
from conformance.checks.comparison import hold_close, hold_equal
from conformance.checks.engine_calls import FULL_REDUCTION, gradients_of, is_refused, tape_of
from conformance.checks.observation import hold_gradient, plain
from conformance.checks.registry import CheckFunction, check, declared_convention
from conformance.checks.sample import Sample
from conformance.errors import Violation
from conformance.ops.names import ADD, MATMUL, MEAN, MULTIPLY, PERMUTE_DIMS, RELU, SIN, SUBTRACT, SUM


def example(
    clause: str, name: str, *needs: Capability, is_about_outcome: bool = False
) -> Callable[[CheckFunction], CheckFunction]:
    """Register a worked example."""
    return check("example", clause, name, *needs, is_named_by_clause=True, is_about_outcome=is_about_outcome)


def _near(got: Any, expected: Array, what: str) -> None:
    """Equal to rounding: eight units in the last place of the largest entry."""
    dtype = got.dtype if got is not None else expected.dtype
    bound = 8 * np.finfo(dtype).eps * np.abs(expected).max(initial=1.0)
    hold_close(got, expected, np.full(expected.shape, bound, np.longdouble), what)


@example("W1", "matmul-upstream")
def upstream_gradient_of_a_matrix_product(engine: Backend, sample: Sample) -> None:
    """out = x @ a with an upstream gradient: x receives upstream @ a.T.

    The output has eight entries, so "the gradient of out" is not one number per entry of x but eight.
    The upstream gradient is the weight of each of the eight; without it there is no single gradient, and an
    upstream of another shape belongs to another output.
    """
    x, a = np.ones((2, 3), sample.dtype), np.ones((3, 4), sample.dtype)
    upstream = np.arange(1, 9, dtype=sample.dtype).reshape(2, 4)
    matmul = engine.op(MATMUL)
    got = gradients_of(engine, matmul, [x, a], upstream)
    hold_equal(got[0], np.array([[10.0] * 3, [26.0] * 3], sample.dtype), "x's gradient")
    hold_equal(got[1], np.array([[6.0, 8.0, 10.0, 12.0]] * 3, sample.dtype), "a's gradient")
    if declared_convention(engine, "A2") == "refused" and not is_refused(
        lambda: engine.gradient(matmul, [x, a])
    ):
        raise Violation("the gradient of a (2, 4) output was given without an upstream gradient")
    if not is_refused(lambda: gradients_of(engine, matmul, [x, a], np.ones((4, 4), sample.dtype))):
        raise Violation("an upstream gradient of shape (4, 4) was accepted for an output of shape (2, 4)")


@example("W2", "square-upstream")
def upstream_gradient_of_a_square(engine: Backend, sample: Sample) -> None:
    """out = a * a with three upstream gradients: a itself, ones, and one entry at a time.

    Ones give the gradient of the sum. One-hot upstreams give it entry by entry, and because gradients
    add up, the six together are the gradient for ones.
    """
    a = np.arange(1, 7, dtype=sample.dtype).reshape(2, 3)
    multiply = engine.op(MULTIPLY)

    def square(x: Any) -> Any:
        return multiply(x, x)

    hold_equal(gradients_of(engine, square, [a], a)[0], 2 * a * a, "the gradient for upstream a")
    hold_equal(gradients_of(engine, square, [a], np.ones_like(a))[0], 2 * a, "the gradient for ones")
    total = np.zeros_like(a)
    for entry in range(a.size):
        one_hot = (np.arange(a.size) == entry).astype(sample.dtype).reshape(a.shape)
        total += gradients_of(engine, square, [a], one_hot)[0]
    hold_equal(total, 2 * a, "the sum of the six gradients of one entry each")


@example("W3", "graph-of-two-steps")
def graph_of_a_sum_and_a_product(engine: Backend, sample: Sample) -> None:
    """c = a + b, e = c * d: the gradients are 4, 4 and 5, found along the graph edge by edge.

    The backward pass from e: the product sends d to c and c to d, the sum passes its cotangent to a and b.
    """
    add, multiply = engine.op(ADD), engine.op(MULTIPLY)
    a, b, d = (sample.scalar(v) for v in (2.0, 3.0, 4.0))

    def two_steps(a: Any, b: Any, d: Any) -> Any:
        return multiply(add(a, b), d)

    (value,) = engine.forward(two_steps, [a, b, d])
    hold_equal(plain(engine, value), sample.scalar(20.0), "the value of (a + b) * d")
    gradients = engine.gradient(two_steps, [a, b, d])
    for got, expected, name in zip(gradients, (4.0, 4.0, 5.0), "abd", strict=True):
        hold_gradient(engine, got, sample.scalar(expected), f"{name}'s gradient")


@example("W3", "graph-is-shown", Capability.GRAPH, is_about_outcome=True)
def graph_shows_product_then_sum_then_leaves(engine: Backend, sample: Sample) -> None:
    """The output's node has the edges (sum, leaf d), the sum's are (leaf a, leaf b).

    Only the accumulation nodes, where the backward pass ends, name a variable.
    """
    tape = tape_of(engine)
    a, b, d = (tape.leaf(sample.scalar(v)) for v in (2.0, 3.0, 4.0))
    product = tape.graph(engine.op(MULTIPLY)(engine.op(ADD)(a, b), d))
    total, leaf_d = product.inputs
    if total is None or leaf_d is None or len(total.inputs) != 2:
        raise Violation(f"the edges of the product are {[n and n.name for n in product.inputs]}")
    leaves = [leaf_d, *total.inputs]
    if [n is not None and n.variable is leaf for n, leaf in zip(leaves, (d, a, b), strict=True)] != [
        True
    ] * 3:
        raise Violation("the leaves are not at the ends of the edges, in operand order")
    if product.names_variable or total.names_variable:
        raise Violation("reading the variable of an operation's node was not refused")


class _Linear:
    """A linear layer without bias: by operators, as plain arrays may be given, or by ops where the engine's own have none."""

    def __init__(self, engine: Backend) -> None:
        self.engine = engine

    def value(self, x: Any, weight: Any) -> Any:
        return self.product(x, self.transposed(weight))

    def rule(self, g: Any, x: Any, weight: Any) -> tuple[Any, ...]:
        """The cotangents of input and weight."""
        return self.product(g, weight), self.product(self.transposed(g), x)

    def product(self, left: Any, right: Any) -> Any:
        return left @ right if hasattr(left, "__matmul__") else self.engine.op(MATMUL)(left, right)

    def transposed(self, matrix: Any) -> Any:
        return matrix.T if hasattr(matrix, "T") else self.engine.op(PERMUTE_DIMS)(matrix, axes=(1, 0))


@example("W4", "custom-linear", Capability.CUSTOM_RULE)
def linear_layer_with_a_custom_rule(engine: Backend, sample: Sample) -> None:
    """A linear layer with a custom rule: input ← g @ weight, weight ← g.T @ input, bias ← ones.T @ g.

    The bias is added to every row, so its gradient is the sum over the rows of g. A column of ones, the fourth operand,
    adds it and sums the rows: a rule needs no more than operators.
    """
    x, weight, bias = sample.array((4, 3)), sample.array((2, 3)), sample.array((1, 2))
    g, ones = sample.array((4, 2)), np.ones((4, 1), sample.dtype)
    layer = _Linear(engine)
    product, transposed = layer.product, layer.transposed
    linear = engine.custom(
        lambda x, w, b, ones: layer.value(x, w) + product(ones, b),
        lambda g, x, w, b, ones: (
            *layer.rule(g, x, w),
            product(transposed(ones), g),
            product(g, transposed(b)),
        ),
    )
    operands = [x, weight, bias, ones]
    expected = g @ weight, g.T @ x, g.sum(0, keepdims=True), g @ bias.T
    got = gradients_of(engine, linear, operands, g)
    for gradient, right, name in zip(got, expected, ("input", "weight", "bias", "column"), strict=True):
        hold_equal(gradient, right, f"the {name}'s gradient")
    without = engine.custom(layer.value, layer.rule)
    for gradient, right in zip(gradients_of(engine, without, [x, weight], g), expected[:2], strict=True):
        hold_equal(gradient, right, "a gradient of the layer without bias")
    _, only = engine.vjp(linear, [np.array(v) for v in operands], [np.array(g)], [1])
    hold_equal(plain(engine, only[0]), expected[1], "the weight's gradient, the other operands constant")


@example("W4", "trailing-none", Capability.CUSTOM_RULE)
def trailing_none_of_a_custom_rule(engine: Backend, sample: Sample) -> None:
    """A custom rule that returns one extra None is tolerated or refused, by the declared convention."""
    convention = declared_convention(engine, "C5")
    x, weight, g = sample.array((4, 3)), sample.array((2, 3)), sample.array((4, 2))
    layer = _Linear(engine)
    rule = engine.custom(layer.value, lambda g, x, w: (*layer.rule(g, x, w), None))
    given: list[Any] = []
    was_refused = is_refused(lambda: given.extend(gradients_of(engine, rule, [x, weight], g)))
    if was_refused != (convention == "refused"):
        raise Violation(
            f"a trailing None was {'refused' if was_refused else 'tolerated'}; the adapter declares {convention!r}"
        )
    for gradient, expected in zip(given, (g @ weight, g.T @ x), strict=False):
        hold_equal(gradient, expected, "a gradient beside a trailing None")


@example("W5", "two-layers")
def two_layers_with_written_out_gradients(engine: Backend, sample: Sample) -> None:
    """lin → relu → lin → mse, every step's gradient written out and compared with the engine's.

    mse is the mean of squares over the batch; from there each layer computes from the gradient of its output
    those of its weight, its bias and its input; the last is the upstream gradient of the layer before.
    """
    x, target = sample.array((4, 3)), sample.array((4, 1))
    w1, b1, w2, b2 = sample.array((3, 5)), sample.array((5,)), sample.array((5, 1)), sample.array((1,))
    op, mean = engine.op, engine.call(MEAN, FULL_REDUCTION)

    def network(x: Any, w1: Any, b1: Any, w2: Any, b2: Any, target: Any) -> Any:
        hidden = op(RELU)(op(ADD)(op(MATMUL)(x, w1), b1))
        difference = op(SUBTRACT)(op(ADD)(op(MATMUL)(hidden, w2), b2), target)
        return mean(op(MULTIPLY)(difference, difference))

    b1 = b1 + b1.dtype.type(1 / 64)  # off the grid: no hidden value is zero, where relu has a kink
    before = x @ w1 + b1
    hidden = np.maximum(before, 0)
    out_g = 2 * (hidden @ w2 + b2 - target) / len(x)
    hidden_g = (out_g @ w2.T) * (before > 0)
    expected_gradients = {
        "x": hidden_g @ w1.T,
        "w1": (x[:, :, None] * hidden_g[:, None, :]).sum(0),
        "b1": hidden_g.sum(0),
        "w2": (hidden[:, :, None] * out_g[:, None, :]).sum(0),
        "b2": out_g.sum(0),
        "target": -out_g,
    }
    gradients = engine.gradient(network, [x, w1, b1, w2, b2, target])
    for got, (name, expected) in zip(gradients, expected_gradients.items(), strict=True):
        _near(plain(engine, got), expected, f"{name}'s gradient")


@example("W6", "chain-rule")
def sine_is_multiplied_by_its_upstream(engine: Backend, sample: Sample) -> None:
    """The gradient of sin is upstream × cos: an engine that forgets the factor is right only when it is 1.

    In sin(3x) the upstream of x ↦ 3x is cos(3x), not 1; forgetting it gives 3.
    """
    x, g = sample.array(), sample.array()
    sin, multiply = engine.op(SIN), engine.op(MULTIPLY)
    _near(gradients_of(engine, sin, [x], np.ones_like(x))[0], np.cos(x), "the gradient for upstream 1")
    _near(gradients_of(engine, sin, [x], g)[0], g * np.cos(x), "the gradient for another upstream")
    three = np.full_like(x, 3.0)
    got = gradients_of(engine, lambda a, c: sin(multiply(c, a)), [x, three], g)[0]
    _near(got, 3 * g * np.cos(3 * x), "the gradient of sin(3x)")


@example("W7", "batch-reductions")
def batch_gradients_are_summed_not_averaged(engine: Backend, sample: Sample) -> None:
    """Over a batch gradients are summed; a mean loss divides by the batch's size, and nothing else does.

    The bias is one vector used by every example, so it receives one contribution from each.
    """
    add, matmul = engine.op(ADD), engine.op(MATMUL)
    for batch in (1, 2, 7, 64):
        x, w, b = sample.array((batch, 3)), sample.array((3, 2)), sample.array((2,))
        got = {}
        for reduction in (SUM, MEAN):
            reduce = engine.call(reduction, FULL_REDUCTION)
            gradients = engine.gradient(lambda w, b, x, r=reduce: r(add(matmul(x, w), b)), [w, b, x])
            got[reduction] = [plain(engine, g) for g in gradients[:2]]
        g = sample.array((batch, 2))
        layer = lambda w, b, x: add(matmul(x, w), b)  # noqa: E731
        none = gradients_of(engine, layer, [w, b, x], np.ones_like(g))
        weighted = gradients_of(engine, layer, [w, b, x], g)
        hold_equal(weighted[0], x.T @ g, f"the weight's gradient for examples of different weights, {batch}")
        hold_equal(weighted[1], g.sum(0), f"the bias's gradient for examples of different weights, {batch}")
        hold_equal(got[SUM][1], np.full(2, batch, x.dtype), f"the bias's gradient over a batch of {batch}")
        hold_equal(got[SUM][0], np.tile(x.sum(0)[:, None], (1, 2)), f"the weight's gradient over {batch}")
        for position, name in enumerate(("weight", "bias")):
            hold_equal(none[position], got[SUM][position], f"the {name}'s gradient for ones, batch {batch}")
            _near(got[MEAN][position] * (2 * batch), got[SUM][position], f"the {name}'s, mean over {batch}")


@example("W8", "fan-out")
def contributions_of_every_path_add_up(engine: Backend, sample: Sample) -> None:
    """y = x*x + x, z = y*y: x is reached along three paths, and receives the sum.

    dz/dx = 2y · (2x + 1). The same holds for a parameter used in two layers.
    """
    add, multiply, matmul = engine.op(ADD), engine.op(MULTIPLY), engine.op(MATMUL)
    x, g = sample.array(), sample.array()

    def diamond(x: Any) -> Any:
        y = add(multiply(x, x), x)
        return multiply(y, y)

    got = gradients_of(engine, diamond, [x], g)[0]
    hold_equal(got, g * 2 * (x * x + x) * (2 * x + 1), "x's gradient in (x*x + x) squared")
    v, w, h = sample.array((2, 3)), sample.array((3, 3)), sample.array((2, 3))
    shared = gradients_of(engine, lambda v, w: matmul(matmul(v, w), w), [v, w], h)[1]
    hold_equal(shared, v.T @ (h @ w.T) + (v @ w).T @ h, "the gradient of a weight used in two layers")


@example("W8", "twice-and-cleared", Capability.TAPE, Capability.CLEARING)
def gradients_add_up_until_cleared(engine: Backend, sample: Sample) -> None:
    """Two backward calls without clearing add up, or replace, by the declared convention; clearing resets the gradient."""
    tape, multiply = tape_of(engine), engine.op(MULTIPLY)
    factor = 2 if declared_convention(engine, "B3") == "accumulates" else 1
    x, g = sample.array(), sample.array()
    leaf = tape.leaf(np.array(x))
    _backward(tape, multiply, leaf, g)
    _backward(tape, multiply, leaf, g)
    hold_equal(plain(tape, tape.grad(leaf)), factor * 2 * g * x, "the gradient after two backward calls")
    tape.clear(leaf)
    _backward(tape, multiply, leaf, g)
    hold_equal(plain(tape, tape.grad(leaf)), 2 * g * x, "the gradient after clearing and one more")


def _backward(tape: TapeBackend, multiply: Any, leaf: Any, g: Array) -> None:
    tape.backward(multiply(leaf, leaf), tape.array(np.array(g)))
