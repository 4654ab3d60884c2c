"""Mutants whose custom rules of forward mode are called wrongly, or believed where they are wrong."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from conformance.backend import as_tuple
from conformance_backends import numpy_engine as engine
from conformance_backends.mutants.mutant import Mutant, SteppedTape, WithTransforms, behaviour
from conformance_backends.numpy_engine.tensor import edge_of

Alter = Callable[..., Any]  # alter(rule, operands, tangents, outputs)


def rule_with(alter: Alter) -> Any:
    """A `custom_forward` that calls `alter` for the rule; it is given the shapes of the outputs."""

    def custom_forward(self: Any, forward: Any, pushforward: Any) -> Any:
        shapes: list[Any] = []  # of the outputs of the last call

        def computed(*operands: Any) -> Any:
            outputs = forward(*operands)
            shapes[:] = [np.shape(z) for z in as_tuple(outputs)]
            return outputs

        return engine.custom_forward(computed, lambda xs, ts: alter(pushforward, xs, ts, shapes))

    return custom_forward


def one_place_of_one_array(self: Any, forward: Any, pushforward: Any) -> Any:
    """An array that is several operands counts at its first place alone."""
    op = engine.custom_forward(forward, pushforward)

    def operation(*operands: Any) -> Any:
        seen = [any(x is y for y in operands[:i]) for i, x in enumerate(operands)]
        return op(*(engine.detach(x) if again else x for x, again in zip(operands, seen, strict=True)))

    return operation


def tangents_in_reverse(rule: Any, xs: Any, ts: Any, shapes: Any) -> Any:
    """The tangents of the operands come in the reverse order."""
    return rule(xs, ts[::-1])


def operands_in_reverse(rule: Any, xs: Any, ts: Any, shapes: Any) -> Any:
    """The operands come in the reverse order."""
    return rule(xs[::-1], ts)


def tangents_by_order(self: Any, forward: Any, pushforward: Any) -> Any:
    """The tangents are given to the first operands, whichever of them are constants."""

    def operation(*operands: Any) -> Any:
        needed = [i for i, x in enumerate(operands) if edge_of(x) is not None]

        def pushed(xs: Any, ts: Any) -> Any:
            return pushforward(xs, tuple(ts[i] for i in needed) + tuple(0 * x for x in xs[len(needed) :]))

        return engine.custom_forward(forward, pushed)(*operands)

    return operation


def second_output_has_the_first_tangent(rule: Any, xs: Any, ts: Any, shapes: Any) -> Any:
    """Every output has the tangent of the first."""
    pushed = rule(xs, ts)
    return tuple(pushed[0] for _ in pushed) if isinstance(pushed, tuple) else pushed


def operands_are_constants(rule: Any, xs: Any, ts: Any, shapes: Any) -> Any:
    """A rule's tangent is not differentiated by the operands."""
    return rule(tuple(map(engine.detach, xs)), ts)


def spread_and_counted(rule: Any, xs: Any, ts: Any, shapes: Any) -> Any:
    """A tangent of another shape is spread over its output, and one too many is dropped."""
    pushed = as_tuple(rule(xs, ts))[: len(shapes)]
    spread = tuple(
        z if z is None or np.shape(z) == shape else z + np.zeros(shape)
        for z, shape in zip(pushed, shapes, strict=True)
    )
    return spread if len(spread) > 1 else spread[0]


def only_counted(rule: Any, xs: Any, ts: Any, shapes: Any) -> Any:
    """One tangent too many is dropped."""
    pushed = as_tuple(rule(xs, ts))[: len(shapes)]
    return pushed if len(pushed) > 1 else pushed[0]


def none_is_the_operands(rule: Any, xs: Any, ts: Any, shapes: Any) -> Any:
    """Where a rule returns None, the first operand's tangent is taken."""
    pushed = rule(xs, ts)
    return ts[0] if pushed is None else pushed


def exceptions_give_zeros(rule: Any, xs: Any, ts: Any, shapes: Any) -> Any:
    """What a rule raises is lost, and the tangent is zeros."""
    try:
        return rule(xs, ts)
    except Exception:
        return None


def transposed_without_the_rule(self: Any, forward: Any, pushforward: Any) -> Any:
    """The gradient is the rule at tangents that are the cotangent, as if the Jacobian were symmetric."""

    def backward(index: int, gs: Any, xs: Any, zs: Any) -> Any:
        pushed = as_tuple(pushforward(xs, tuple(gs[0] if i == index else 0 * x for i, x in enumerate(xs))))
        return sum(pushed[1:], pushed[0])

    right = engine.custom_forward(forward, pushforward)
    pulled = engine.custom_by_operand(forward, backward)
    return lambda *operands: (pulled if len(as_tuple(right(*operands))) > 1 else right)(*operands)


def as_computed(self: Any, forward: Any, pushforward: Any) -> Any:
    """An op with a rule of forward mode is differentiated as what it computes."""
    return forward


class ForgetsTheRuleInside(WithTransforms):
    """Inside a vectorized function an op with a rule of forward mode is differentiated as what it computes."""

    def custom_forward(self, forward: Any, pushforward: Any) -> Any:
        """The op; mapped, its value by the engine's ops."""
        right = engine.custom_forward(forward, pushforward)
        return lambda *operands: (forward if self.kept.get("is_mapping") else right)(*operands)

    def vectorized(self, function: Any) -> Any:
        """The loop, which is noted."""
        looped = self.looped(function)

        def mapped(*operands: Any) -> Any:
            self.kept["is_mapping"] = True
            try:
                return looped(*operands)
            finally:
                self.kept["is_mapping"] = False

        return mapped


class LosesInnerTangents(SteppedTape):
    """A tangent that is pushed through a tangent of a rule is zeros."""

    def custom_forward(self, forward: Any, pushforward: Any) -> Any:
        """The op, whose rule inside another tangent has constants."""

        def pushed(xs: Any, ts: Any) -> Any:
            if self.kept.get("depth", 0) < 2:
                return pushforward(xs, ts)
            return pushforward(tuple(map(engine.detach, xs)), ts)

        return engine.custom_forward(forward, pushed)

    def jvp(self, *arguments: Any) -> Any:
        """The engine's, which is counted."""
        return self._counted(super().jvp, *arguments)

    def nested_jvp(self, *arguments: Any) -> Any:
        """The engine's, which is counted."""
        return self._counted(super().nested_jvp, *arguments)

    def _counted(self, push: Any, *arguments: Any) -> Any:
        self.kept["depth"] = self.kept.get("depth", 0) + 1
        try:
            return push(*arguments)
        finally:
            self.kept["depth"] -= 1


def _mutant(name: str, check: str, alter: Alter) -> Mutant:
    return behaviour(
        name,
        str(alter.__doc__),
        (f"contract/C5/{check}",),
        custom_forward=rule_with(alter),
        ops=("multiply", "add"),
    )


MUTANTS = (
    _mutant("tangents-in-reverse", "pushed", tangents_in_reverse),
    _mutant("pushed-operands-in-reverse", "pushed", operands_in_reverse),
    behaviour(
        "tangents-by-order",
        str(tangents_by_order.__doc__),
        ("contract/C5/pushed",),
        custom_forward=tangents_by_order,
    ),
    _mutant("second-output-has-first-tangent", "pushed-outputs", second_output_has_the_first_tangent),
    behaviour(
        "push-by-the-value",
        str(as_computed.__doc__),
        ("capability/forward-rules", "contract/C5/pushed"),
        custom_forward=as_computed,
    ),
    _mutant("pushed-operands-are-constants", "pushed-in-reverse", operands_are_constants),
    _mutant("wrong-tangents-spread", "pushed-wrong", spread_and_counted),
    _mutant("further-tangents-dropped", "pushed-wrong", only_counted),
    _mutant("tangent-for-none", "pushed-wrong", none_is_the_operands),
    _mutant("raising-push-gives-zeros", "pushed-raises", exceptions_give_zeros),
    behaviour(
        "pushed-at-one-place",
        str(one_place_of_one_array.__doc__),
        ("contract/C5/pushed-one-array",),
        custom_forward=one_place_of_one_array,
    ),
    behaviour(
        "pulled-as-pushed",
        str(transposed_without_the_rule.__doc__),
        ("contract/C5/pulled-by-transpose",),
        custom_forward=transposed_without_the_rule,
    ),
    Mutant(
        "mapped-push-forgotten",
        str(ForgetsTheRuleInside.__doc__),
        ("contract/C5/pushed-slope",),
        ForgetsTheRuleInside,
        ("multiply",),
    ),
    Mutant(
        "inner-tangents-lost",
        str(LosesInnerTangents.__doc__),
        ("contract/C5/pushed-twice",),
        LosesInnerTangents,
        ("multiply",),
    ),
)
