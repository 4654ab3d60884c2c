"""Chapter B: many contributions, and their order."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from conformance.backend import Backend, Capability, Function
from conformance.checks.comparison import hold_equal
from conformance.checks.engine_calls import gradients_of, one_sample_in_four
from conformance.checks.observation import hold_gradient, plain
from conformance.checks.registry import NotThisCase, contract
from conformance.checks.sample import Sample
from conformance.errors import Violation
from conformance.op import Trait
from conformance.ops import with_trait
from conformance.ops.names import ADD, CONCAT, MULTIPLY, SPLIT, STACK

USES = 1000
WIDEST = 2**16 + 1
MANY = 300  # operands, or outputs, of one op: more than a byte counts
DEPTH = 60  # traversed path by path, these diamonds would take 2**60 calls


@contract("B1", "wide-fan-out")
def wide_fan_out_receives_every_contribution(engine: Backend, sample: Sample) -> None:
    """A value used 1 000 times receives the sum of its 1 000 contributions."""
    one_sample_in_four(sample)
    x, g = sample.array(), sample.array()
    (got,) = gradients_of(engine, lambda a: _added_up(engine, a, USES), [x], g)
    hold_equal(got, USES * g, f"the gradient of a value added up {USES} times")


def _added_up(engine: Backend, a: Any, uses: int) -> Any:
    """The sum of so many uses of a value, in a tree, so that the graph is not deep."""
    add = engine.op(ADD)
    layer = [add(a, a) for _ in range(uses // 2)] + [a] * (uses % 2)
    while len(layer) > 1:
        pairs = zip(layer[::2], layer[1::2], strict=False)
        layer = [add(b, c) for b, c in pairs] + ([layer[-1]] if len(layer) % 2 else [])
    return layer[0]


@contract("B1", "widest-fan-out", Capability.DEEP)
def widest_fan_out_receives_every_contribution(engine: Backend, sample: Sample) -> None:
    """A value used 65 537 times, more often than 16 bits count, receives the sum of its contributions."""
    one_sample_in_four(sample)
    if engine.compiles_signatures:
        raise NotThisCase("what is compiled is no graph of so many uses")
    x, g = sample.array((1,)), sample.array((1,))
    (got,) = gradients_of(engine, lambda a: _added_up(engine, a, WIDEST), [x], g)
    hold_equal(got, WIDEST * g, f"the gradient of a value used {WIDEST} times")


@contract("B1", "many-operands")
def op_of_many_operands_or_outputs_has_the_gradient_of_each(engine: Backend, sample: Sample) -> None:
    """Each of 300 arrays that are joined by one op has its gradient, and each of 300 parts of one array counts."""
    one_sample_in_four(sample)
    g, h = sample.array((MANY,)), sample.array((MANY, 1))
    for name, shape in ((CONCAT, (1,)), (STACK, ())):
        xs = [np.full(shape, number, sample.dtype) for number in range(MANY)]
        (joined,), got = engine.vjp(engine.call(name, {"axis": 0}), xs, [np.array(g)])
        hold_equal(plain(engine, joined), np.arange(MANY, dtype=sample.dtype), f"a {name} of {MANY} operands")
        for number, gradient in enumerate(got):
            hold_gradient(
                engine,
                gradient,
                g[number].reshape(shape),
                f"the gradient of operand {number} of a {name} of {MANY}",
            )
    alone = MANY - 1 - sample.seed % 5  # where only some operand far behind needs a gradient
    for name, shape in ((CONCAT, (1,)), (STACK, ())):
        xs = [np.full(shape, number, sample.dtype) for number in range(MANY)]
        _, (of_one,) = engine.vjp(engine.call(name, {"axis": 0}), xs, [np.array(g)], [alone])
        what = f"the gradient of operand {alone}, the one that needs it, of a {name} of {MANY}"
        hold_equal(None if of_one is None else plain(engine, of_one), g[alone].reshape(shape), what)
    parts = engine.call(SPLIT, {"indices_or_sections": [*range(1, MANY)], "axis": 0})
    _, (whole,) = engine.vjp(parts, [sample.array((MANY, 1))], list(h[:, None]))
    hold_equal(plain(engine, whole), h, f"the gradient of an array split into {MANY}")


@contract("B2", "deep-diamonds", Capability.CUSTOM_RULE)
def chain_of_diamonds_costs_a_call_each(engine: Backend, sample: Sample) -> None:
    """Through a chain of 60 diamonds, also in a checkpoint, each rule is called once: linear, not exponential."""
    _hold_linear(engine, sample, lambda function: function, "")
    if Capability.CHECKPOINTING in engine.capabilities:
        _hold_linear(engine, sample, engine.checkpoint, " in a checkpoint")


def _hold_linear(
    engine: Backend, sample: Sample, wrapped: Callable[[Function], Function], where: str
) -> None:
    """Claim that through a chain of diamonds each rule is called once."""
    calls: list[int] = []

    def both(g: Any, a: Any, b: Any) -> tuple[Any, ...]:
        calls.append(1)
        if len(calls) > DEPTH:  # at once: an engine that traverses path by path would not end
            raise Violation(
                f"the backward pass through {DEPTH} diamonds{where} called their rules more than {DEPTH} times"
            )
        return g, g

    join = engine.custom(lambda a, b: a + b, both)
    x, g = sample.array(), sample.array()

    def diamonds(a: Any) -> Any:
        for _ in range(DEPTH):
            a = join(a, a)
        return a

    (got,) = gradients_of(engine, wrapped(diamonds), [x], g)
    hold_equal(got, g * g.dtype.type(2.0**DEPTH), f"the gradient through {DEPTH} diamonds{where}")
    if len(calls) != DEPTH:
        raise Violation(
            f"the backward pass through {DEPTH} diamonds{where} called their rules {len(calls)} times"
        )


@contract("B10", "permuted")
def permuted_operands_have_permuted_gradients(engine: Backend, sample: Sample) -> None:
    """Where the operands of commutative ops change places, their gradients do, bit for bit."""
    names = [name for name in with_trait(Trait.COMMUTATIVE) if name in engine.ops]
    if not names:
        raise NotThisCase("the adapter names no commutative op")
    a, b, g = (sample.rng.standard_normal(sample.shape).astype(sample.dtype) for _ in range(3))
    add, multiply = engine.op(ADD), engine.op(MULTIPLY)
    for name in names:
        unchanged = gradients_of(engine, engine.op(name), [a, b], g)
        swapped = gradients_of(engine, engine.op(name), [b, a], g)
        hold_equal(swapped[1], unchanged[0], f"the gradient of an operand of {name}, now the second")
        hold_equal(swapped[0], unchanged[1], f"the gradient of an operand of {name}, now the first")
    operands = [sample.rng.standard_normal(sample.shape).astype(sample.dtype) for _ in range(4)]
    pairs = lambda a, b, c, d: multiply(add(a, b), add(c, d))  # noqa: E731
    unchanged = gradients_of(engine, pairs, operands, g)
    for order in ((1, 0, 2, 3), (2, 3, 0, 1), (3, 2, 1, 0)):
        permuted = gradients_of(engine, pairs, [operands[i] for i in order], g)
        for place, i in enumerate(order):
            hold_equal(
                permuted[place],
                unchanged[i],
                f"the gradient of operand {i} of (a+b)*(c+d), as operand {place}",
            )
