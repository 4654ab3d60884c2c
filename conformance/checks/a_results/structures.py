"""Operands in lists, tuples, dictionaries (A21)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial, reduce
from typing import Any, NamedTuple

import numpy as np

from conformance.backend import Backend, Capability
from conformance.checks.engine_calls import full_sum, unless_refused
from conformance.checks.observation import hold_gradient
from conformance.checks.registry import contract
from conformance.checks.sample import Sample
from conformance.errors import Violation
from conformance.ops.names import ADD, MULTIPLY


@contract("A21", "same-structure", Capability.STRUCTURES)
def structured_operands_get_structured_gradients(engine: Backend, sample: Sample) -> None:
    """The gradient of a structure of operands has its structure, each leaf in its place."""
    a, b, c, d, e = (sample.array() for _ in range(5))
    multiply, add, total = engine.op(MULTIPLY), engine.op(ADD), full_sum(engine)

    def loss(given: Any) -> Any:
        (first, second), inner = given["layers"], given["rest"]
        product = add(multiply(first, second), multiply(inner["b"], inner["a"]))
        return total(add(product, multiply(given["alone"], given["alone"])))

    structure = {"layers": [a, b], "rest": {"b": c, "a": d}, "alone": e}
    expected = {"layers": [b, a], "rest": {"b": d, "a": c}, "alone": 2 * e}
    gradient = engine.structured_gradient(loss, structure)
    for where, got, value in _leaves(gradient, expected, "the structure"):
        hold_gradient(engine, got, value, f"the gradient at {where}")
    pair = engine.structured_gradient(lambda p: total(multiply(p[0], p[1][0])), (a, (b,)))
    for where, got, value in _leaves(pair, (b, (a,)), "the tuple"):
        hold_gradient(engine, got, value, f"the gradient at {where}")


@contract("A21", "any-form", Capability.STRUCTURES)
def structures_of_any_form_have_their_gradients(engine: Backend, sample: Sample) -> None:
    """Empty parts stay empty, an array in two places has a gradient in each, and no depth or length is special."""
    a, b = sample.array(), sample.array()
    multiply, total = engine.op(MULTIPLY), full_sum(engine)

    def product(*factors: Any) -> Any:
        return total(reduce(multiply, factors))

    forms: dict[str, tuple[Any, Callable[[Any], Any], Any]] = {
        "with empty parts": (
            {"none": {}, "b": b, "nothing": [], "a": [a, ()]},
            lambda s: product(s["a"][0], s["b"]),
            {"none": {}, "b": a, "nothing": [], "a": [b, ()]},
        ),
        "with one array in two places": ([a, {"again": a}], lambda s: product(s[0], *[s[1]["again"]] * 2),
            [a * a, {"again": 2 * a * a}]),
        "of one array": ([a], lambda s: product(s[0], s[0]), [2 * a]),
        "of five levels": (
            {"x": [({"y": [a]},)], "z": (b,)},
            lambda s: product(s["x"][0][0]["y"][0], s["z"][0]),
            {"x": [({"y": [b]},)], "z": (a,)},
        ),
    }  # fmt: skip
    for what, (structure, loss, expected) in forms.items():
        gradient = engine.structured_gradient(loss, structure)
        for where, got, value in _leaves(gradient, expected, f"the structure {what}"):
            hold_gradient(engine, got, value, f"the gradient at {where}")


@contract("A21", "equal-leaves", Capability.STRUCTURES)
def leaves_of_equal_values_have_gradients_of_their_own(engine: Backend, sample: Sample) -> None:
    """Two arrays of a structure that have equal values, and two numbers, each have the gradient of their own place."""
    a, c = sample.array(), sample.array(())
    multiply, total = engine.op(MULTIPLY), full_sum(engine)
    arrays, numbers = {"x": a, "y": [np.array(a)]}, {"x": c, "y": [np.array(c)]}
    for what, structure, x in (("arrays", arrays, a), ("numbers", numbers, c)):
        gradient = engine.structured_gradient(
            lambda s: total(multiply(multiply(s["x"], s["x"]), s["y"][0])), structure
        )
        expected = {"x": np.asarray(2 * x * x), "y": [np.asarray(x * x)]}
        for where, got, value in _leaves(gradient, expected, f"the structure of two equal {what}"):
            hold_gradient(engine, got, value, f"the gradient at {where}")


class Pair(NamedTuple):
    """A structure whose parts have names."""

    first: Any
    second: Any


@contract("A21", "named", Capability.STRUCTURES)
def structure_of_named_parts_has_a_gradient_of_named_parts(engine: Backend, sample: Sample) -> None:
    """The gradient of a named tuple, alone or in a list, is one of the same type, unless named tuples are refused."""
    a, b = sample.array(), sample.array()
    multiply, total = engine.op(MULTIPLY), full_sum(engine)
    forms: dict[str, tuple[Any, Callable[[Any], Any], Any]] = {
        "of named parts": (Pair(a, b), lambda p: total(multiply(p.second, p.first)), Pair(b, a)),
        "of a list of them": (
            [Pair(a, (b,))], lambda s: total(multiply(s[0].second[0], s[0].first)), [Pair(b, (a,))],
        ),
    }  # fmt: skip
    for what, (structure, loss, expected) in forms.items():
        gradient = unless_refused(partial(engine.structured_gradient, loss, structure), engine)
        if gradient is None:
            continue
        for where, got, value in _leaves(gradient, expected, f"the structure {what}"):
            hold_gradient(engine, got, value, f"the gradient at {where}")


def _leaves(got: Any, expected: Any, where: str) -> Iterator[tuple[str, Any, Any]]:
    """The leaves of two structures side by side, each with its place; a Violation where they differ."""
    if isinstance(expected, np.ndarray):
        yield where, got, expected
        return
    kind = dict if isinstance(expected, dict) else type(expected)
    keys = list(expected) if kind is dict else range(len(expected))
    if not isinstance(got, kind) or len(got) != len(expected) or (kind is dict and set(got) != set(keys)):
        raise Violation(f"{where} is a {kind.__name__} of {len(expected)}, its gradient {got!r}")
    for key in keys:
        yield from _leaves(got[key], expected[key], f"{where}[{key!r}]")
