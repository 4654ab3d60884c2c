"""Mutants that call custom rules wrongly."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from conformance_backends import numpy_engine as engine
from conformance_backends.mutants.mutant import AdapterScopedNoGrad, Mutant, SteppedTape, behaviour
from conformance_backends.numpy_engine.graph import is_recording
from conformance_backends.numpy_engine.tensor import Tensor, edge_of


def custom_with(alter: Callable[..., Any]) -> Any:
    """A `custom` that calls `alter(rule, g, operands)` for the rule."""

    def custom(self: Any, forward: Any, backward: Any) -> Any:
        return engine.custom(forward, lambda g, *xs: alter(backward, g, xs))

    return custom


def called_twice(rule: Any, g: Any, xs: Any) -> Any:
    """The rule is called once more than needed, as if to count its results."""
    rule(g, *xs)
    return rule(g, *xs)


def none_is_ones(rule: Any, g: Any, xs: Any) -> Any:
    """None from a rule is replaced by ones."""
    return [np.ones_like(x) if p is None else p for p, x in zip(rule(g, *xs), xs, strict=True)]


def none_refused_where_recorded(rule: Any, g: Any, xs: Any) -> Any:
    """None is an error where the backward pass is recorded."""
    pulled = rule(g, *xs)
    if is_recording() and any(p is None for p in pulled):
        raise ValueError("a rule returned None")
    return pulled


def none_is_the_cotangent(rule: Any, g: Any, xs: Any) -> Any:
    """None from a rule is replaced by the cotangent."""
    return [g if p is None else p for p in rule(g, *xs)]


def padded(rule: Any, g: Any, xs: Any) -> Any:
    """Too few results are padded with None, too many are dropped."""
    return [*rule(g, *xs), *[None] * len(xs)][: len(xs)]


def surplus_dropped(rule: Any, g: Any, xs: Any) -> Any:
    """Surplus results are ignored."""
    return rule(g, *xs)[: len(xs)]


def nothing_is_none(rule: Any, g: Any, xs: Any) -> Any:
    """No results at all count as None for every operand."""
    return rule(g, *xs) or (None,) * len(xs)


def reshaped(rule: Any, g: Any, xs: Any) -> Any:
    """A result of another shape is reshaped."""
    return [p if p is None else np.reshape(p, x.shape) for p, x in zip(rule(g, *xs), xs, strict=True)]


def differentiated_instead(self: Any, forward: Any, backward: Any) -> Any:
    """The rule is not used: forward is differentiated through."""

    def operation(*operands: Any) -> Any:
        tensors = [x if isinstance(x, Tensor) else Tensor(x) for x in operands]
        return forward(*tensors)

    return operation


def broken_after_refusal(self: Any, output: Any, gradient: Any = None, *, retain: bool = False) -> None:
    """After an exception in a backward pass the engine has stopped recording."""
    try:
        SteppedTape.backward(self, output, gradient)
    except ValueError:
        self.is_stopped = True
        raise


def results_shifted_past_none(rule: Any, g: Any, xs: Any) -> Any:
    """Results that are None are removed, which shifts the others."""
    pulled = rule(g, *xs)
    return sorted(pulled, key=lambda p: p is None)


def swapped_behind_a_constant(self: Any, forward: Any, backward: Any) -> Any:
    """Of three results the last two are exchanged where the first operand is a constant."""

    def operation(*operands: Any) -> Any:
        is_constant = len(operands) > 2 and edge_of(operands[0]) is None

        def altered(g: Any, *xs: Any) -> Any:
            results = tuple(backward(g, *xs))
            return (results[0], results[2], results[1]) if is_constant else results

        return engine.custom(forward, altered)(*operands)

    return operation


def none_of_results(self: Any, forward: Any, backward: Any) -> Any:
    """None for an operand that is a result is handed on to the rule before, which cannot take it."""

    def operation(*operands: Any) -> Any:
        def altered(g: Any, *xs: Any) -> Any:
            results = tuple(backward(g, *xs))
            if any(
                p is None and x.edge and not x.is_leaf
                for p, x in zip(results, operands, strict=True)
                if isinstance(x, Tensor)
            ):
                raise TypeError("bad operand type for unary -: 'NoneType'")
            return results

        return engine.custom(forward, altered)(*operands)

    return operation


def ended_by_none(rule: Any, g: Any, xs: Any) -> Any:
    """Of a rule of three, what comes after a None is None too."""
    pulled = list(rule(g, *xs))
    if len(pulled) < 3:
        return pulled
    return [p if all(q is not None for q in pulled[:i]) else None for i, p in enumerate(pulled)]


def matrices_are_constants(rule: Any, g: Any, xs: Any) -> Any:
    """What a rule saved of its operands has no history where it is a matrix."""
    return rule(g, *(engine.detach(x) if x.ndim == 2 else x for x in xs))


def first_place_alone(self: Any, forward: Any, backward: Any) -> Any:
    """An operand of three that is named twice receives the contribution of its first place alone."""
    right = engine.custom(forward, backward)

    def operation(*operands: Any) -> Any:
        if len(operands) < 3:
            return right(*operands)
        return right(
            *(engine.detach(x) if any(x is y for y in operands[:i]) else x for i, x in enumerate(operands))
        )

    return operation


def last_of_three_is_constant(rule: Any, g: Any, xs: Any) -> Any:
    """What a rule saved of its third operand has no history."""
    return rule(g, *xs[:2], *map(engine.detach, xs[2:]))


def spread(rule: Any, g: Any, xs: Any) -> Any:
    """A result of one entry is broadcast to its operand's shape."""
    pulled = rule(g, *xs)
    if len(pulled) != len(xs):
        return pulled
    return [
        np.broadcast_to(p, x.shape) if p is not None and np.size(p) == 1 else p
        for p, x in zip(pulled, xs, strict=True)
    ]


def shapes_unchecked(self: Any, forward: Any, backward: Any) -> Any:
    """A rule's cotangents are passed on in whatever shape they have."""
    right = engine.custom(forward, backward)

    def operation(*operands: Any) -> Any:
        output = right(*operands)
        if output.node is not None:
            values = [np.asarray(engine.detach(x)) for x in operands]
            output.node.pullback = lambda cotangents: list(backward(cotangents[0], *values))
        return output

    return operation


MUTANTS: tuple[Mutant, ...] = (
    behaviour("rule-called-twice", "A custom rule is called twice.",
        ("contract/C5/custom-rule", "contract/B2/propagate-once"), custom=custom_with(called_twice)),
    behaviour("rule-not-used", "Instead of using the custom rule its forward function is differentiated.",
        ("contract/C5/custom-rule", "capability/custom-rule"), custom=differentiated_instead),
    behaviour("none-is-ones", "None from a custom rule is replaced by ones.",
        ("contract/C5/custom-none",), custom=custom_with(none_is_ones)),
    behaviour("none-refused-where-recorded", "In a backward pass that is recorded a custom rule may not return None.",
        ("contract/C5/custom-none",), custom=custom_with(none_refused_where_recorded)),
    behaviour("none-is-cotangent", "None from a custom rule is replaced by the upstream cotangent.",
        ("contract/C5/custom-none",), custom=custom_with(none_is_the_cotangent)),
    behaviour("arity-unchecked", "A custom rule may return too few or too many cotangents.",
        ("contract/C5/custom-refused", "contract/C5/custom-too-few", "example/W4/trailing-none"),
        custom=custom_with(padded)),
    behaviour("surplus-unchecked", "A custom rule may return too many cotangents.",
        ("contract/C5/custom-refused", "example/W4/trailing-none"), custom=custom_with(surplus_dropped)),
    behaviour("nothing-is-none", "A custom rule may return no cotangents at all.",
        ("contract/C5/custom-refused",), custom=custom_with(nothing_is_none)),
    behaviour("shape-unchecked", "A result of another shape from a custom rule is reshaped.",
        ("contract/C5/custom-refused",), custom=custom_with(reshaped)),
    behaviour("stopped-by-refusal", "After a refusal in a backward pass nothing is recorded any more.",
        ("contract/C5/custom-refused",), base=AdapterScopedNoGrad, backward=broken_after_refusal),
    behaviour("results-shifted-past-none", "After a None the other results of a custom rule are shifted by one operand.",
        ("contract/C5/custom-constant",), custom=custom_with(results_shifted_past_none)),
    behaviour("none-of-results", "A custom rule's None for an operand that is a result reaches the rule of the op before.",
        ("contract/C5/custom-none",), custom=none_of_results),
    behaviour("results-ended-by-none", "What a custom rule of three returns after a None is dropped.",
        ("contract/C5/custom-none",), custom=custom_with(ended_by_none)),
    behaviour("results-swapped-behind-a-constant", "Behind a constant a custom rule's other results are exchanged.",
        ("contract/C5/custom-of-three",), custom=swapped_behind_a_constant),
    behaviour("saved-matrices-are-constants", "What a custom rule saves of its operands has no history where it is a matrix.",
        ("contract/C5/custom-second",), custom=custom_with(matrices_are_constants)),
    behaviour("first-place-alone", "An operand that a custom rule of three has twice receives its first contribution alone.",
        ("contract/C5/custom-of-three",), custom=first_place_alone),
    behaviour("last-of-three-is-constant", "What a custom rule saves of its third operand has no history.",
        ("contract/C5/second-of-three",), custom=custom_with(last_of_three_is_constant)),
    behaviour("one-entry-spread", "A custom rule's result of one entry is broadcast to its operand's shape.",
        ("contract/C5/custom-smaller",), custom=custom_with(spread)),
    behaviour("rule-shapes-unchecked", "A rule's cotangents are passed on in whatever shape they have.",
        ("contract/C5/custom-further-axis",), custom=shapes_unchecked),
)  # fmt: skip
