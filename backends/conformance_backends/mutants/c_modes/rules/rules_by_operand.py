"""Mutants whose custom rules of several outputs, or of which a part is needed, are called wrongly."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from unittest.mock import patch

import numpy as np

from conformance_backends import numpy_engine as engine
from conformance_backends.mutants.c_modes.transforms import noting_the_map
from conformance_backends.mutants.mutant import Mutant, SteppedTape, WithTransforms, behaviour
from conformance_backends.numpy_engine import graph
from conformance_backends.numpy_engine.graph import is_recording

DTYPES = "contract/C5/output-dtypes"
Alter = Callable[..., Any]  # alter(rule, index, cotangents, operands, outputs)


def rule_with(alter: Alter) -> Any:
    """A `custom_by_operand` that calls `alter` for the rule."""

    def custom_by_operand(self: Any, forward: Any, backward: Any) -> Any:
        return engine.custom_by_operand(forward, lambda index, gs, xs, zs: alter(backward, index, gs, xs, zs))

    return custom_by_operand


def second_output_dropped(rule: Any, index: int, gs: Any, xs: Any, zs: Any) -> Any:
    """The cotangents of all outputs but the first are zeros."""
    return rule(index, (gs[0], *(0 * g for g in gs[1:])), xs, zs)


def unused_output_seeded(rule: Any, index: int, gs: Any, xs: Any, zs: Any) -> Any:
    """An output that is not used has a cotangent of ones."""
    filled = [g if np.any(engine.detach(g)) else engine.detach(g) + 1 for g in gs]
    return rule(index, tuple(filled) if len(gs) > 1 else gs, xs, zs)


def outputs_swapped(rule: Any, index: int, gs: Any, xs: Any, zs: Any) -> Any:
    """The cotangents come in the reverse order of the outputs."""
    return rule(index, gs[::-1], xs, zs)


def saved_outputs_are_constants(rule: Any, index: int, gs: Any, xs: Any, zs: Any) -> Any:
    """What a rule saved of its outputs has no history."""
    return rule(index, gs, xs, tuple(map(engine.detach, zs)))


def second_cotangent_is_constant(rule: Any, index: int, gs: Any, xs: Any, zs: Any) -> Any:
    """Of the cotangents only the first is differentiated again."""
    return rule(index, (gs[0], *map(engine.detach, gs[1:])), xs, zs)


def for_all_operands(self: Any, forward: Any, backward: Any) -> Any:
    """The rule is called for every operand, and what is not needed is dropped."""

    def every(index: int, gs: Any, xs: Any, zs: Any) -> Any:
        return [backward(i, gs, xs, zs) for i in range(len(xs))][index]

    return engine.custom_by_operand(forward, every)


def for_all_operands_when_recorded(self: Any, forward: Any, backward: Any) -> Any:
    """In a recorded backward pass the rule is called for every operand, and what is not needed is dropped."""

    def every(index: int, gs: Any, xs: Any, zs: Any) -> Any:
        wanted = range(len(xs)) if is_recording() else (index,)
        return {i: backward(i, gs, xs, zs) for i in wanted}[index]

    return engine.custom_by_operand(forward, every)


def detached_is_kept(self: Any, array: Any) -> Any:
    """The right value, which is remembered."""
    detached = SteppedTape.detach(self, array)
    self.kept.setdefault("detached", []).append(detached)
    return detached


def for_detached_results(self: Any, forward: Any, backward: Any) -> Any:
    """Beside a detached result the rule is called for every operand."""
    right, every = engine.custom_by_operand(forward, backward), for_all_operands(self, forward, backward)

    def operation(*operands: Any) -> Any:
        is_beside = any(x is kept for x in operands for kept in self.kept.get("detached", ()))
        return (every if is_beside else right)(*operands)

    return operation


OUTPUTS = ("contract/C5/several-outputs",)


def last_two_of_three_swapped(rule: Any, index: int, gs: Any, xs: Any, zs: Any) -> Any:
    """Of three cotangents the last two are exchanged."""
    return rule(index, (gs[0], gs[2], gs[1]) if len(gs) == 3 else gs, xs, zs)


def unused_output_in_double(rule: Any, index: int, gs: Any, xs: Any, zs: Any) -> Any:
    """The cotangent of an output that is not used is of double precision."""
    filled = [g if np.any(engine.detach(g)) else g.astype("float64") for g in gs]
    return rule(index, tuple(filled), xs, zs)


def tuple_of_one_unwrapped(self: Any, forward: Any, backward: Any) -> Any:
    """An op whose value is a tuple of one array returns the array."""
    right = engine.custom_by_operand(forward, backward)

    def operation(*operands: Any) -> Any:
        output = right(*operands)
        return output[0] if isinstance(output, tuple) and len(output) == 1 else output

    return operation


class PairsPushedInReverse(SteppedTape):
    """The tangents of a custom rule's two outputs come in the reverse order."""

    def custom_by_operand(self, forward: Any, backward: Any) -> Any:
        """The engine's rule, which is noted."""
        op = engine.custom_by_operand(forward, backward)
        self.kept[op] = op
        return op

    def jvp(self, function: Any, operands: Any, tangents: Any) -> Any:
        """The engine's tangents, reversed for what was noted."""
        outputs, pushed = super().jvp(function, operands, tangents)
        return outputs, pushed[::-1] if function in self.kept else pushed


def lost_where_mapped(self: Any, forward: Any, backward: Any) -> Any:
    """A custom rule, but of mapped functions."""
    own = engine.custom(forward, backward)
    return lambda *xs: forward(*xs) if self.kept.get("mapped") else own(*xs)


def second_lost_where_mapped(self: Any, forward: Any, backward: Any) -> Any:
    """A custom rule, of which in mapped functions the derivative is that of what the op computes."""
    own = engine.custom(forward, backward)

    def used_once(g: Any, *xs: Any) -> Any:
        of_op = engine.vjp(forward, *xs)[1](g)
        return tuple(p + engine.detach(q - p) for p, q in zip(of_op, backward(g, *xs), strict=True))

    lost = engine.custom(forward, used_once)
    return lambda *xs: lost(*xs) if self.kept.get("mapped") else own(*xs)


class SumsIntoWhatRulesReturn(SteppedTape):
    """The reference engine, which writes the sum of what arrives into what a custom rule returned."""

    def custom(self, forward: Any, backward: Any) -> Any:
        """The engine's, whose new arrays are noted."""

        def rule(g: Any, *xs: Any) -> Any:
            found = backward(g, *xs)
            self.kept.update({id(z): z for z in found if isinstance(z, np.ndarray) and z.ndim and z is not g})
            return found

        return engine.custom(forward, rule)

    def backward(self, output: Any, gradient: Any = None, *, retain: bool = False) -> None:
        """The engine's pass, in which what was noted is written into."""
        right = graph._deliver

        def deliver(arrived: Any, waiting: Any, edge: Any, cotangent: Any) -> None:
            slots = arrived.get(edge[0], ())
            there = slots[edge[1]] if edge[1] < len(slots) else None
            if self.kept.get(id(there)) is not there or there is None:
                right(arrived, waiting, edge, cotangent)
            else:
                there += cotangent

        with patch.object(graph, "_deliver", deliver):
            super().backward(output, gradient, retain=retain)


MUTANTS: tuple[Mutant, ...] = (
    behaviour("what-a-rule-returns-is-summed-into", "What a custom rule returns is summed into, though it be one array for two operands.",
        ("contract/C5/one-array",), base=SumsIntoWhatRulesReturn),
    behaviour("second-order-of-rules-lost-where-mapped", "In a mapped function the derivative of a custom rule is that of what its op computes.",
        ("contract/C5/own-slope-second",), base=WithTransforms, vectorized=noting_the_map, custom=second_lost_where_mapped),
    behaviour("rules-lost-where-mapped", "In a mapped function what a custom op computes is differentiated, not its rule used.",
        ("contract/C5/own-slope",), base=WithTransforms, vectorized=noting_the_map, custom=lost_where_mapped),
    behaviour("unused-output-in-double", "The zeros that a custom rule gets for an unused output are of double precision.",
        (DTYPES,), custom_by_operand=rule_with(unused_output_in_double)),
    behaviour("custom-tuple-of-one", "A custom op whose value is a tuple of one array returns the array.",
        (DTYPES,), custom_by_operand=tuple_of_one_unwrapped),
    behaviour("second-output-dropped", "Of a custom rule's outputs only the first has a cotangent.",
        (*OUTPUTS, "capability/several-outputs"), custom_by_operand=rule_with(second_output_dropped)),
    behaviour("unused-output-seeded", "A custom rule's output that is not used has a cotangent of ones.",
        OUTPUTS, custom_by_operand=rule_with(unused_output_seeded)),
    behaviour("outputs-swapped", "A custom rule gets the cotangents of its outputs in reverse order.",
        OUTPUTS, custom_by_operand=rule_with(outputs_swapped)),
    behaviour("saved-outputs-are-constants", "What a custom rule saves of its outputs has no history.",
        ("contract/C5/saved-outputs",), custom_by_operand=rule_with(saved_outputs_are_constants)),
    behaviour("second-cotangent-is-constant", "A custom rule's second cotangent has no history.",
        ("contract/C5/saved-outputs",), custom_by_operand=rule_with(second_cotangent_is_constant)),
    behaviour("rule-for-all-operands", "A custom rule is called for operands that need no gradient too.",
        ("contract/C5/needed", "capability/needed-operands"), custom_by_operand=for_all_operands),
    behaviour("rule-for-all-operands-when-recorded", "In a recorded backward pass a custom rule is called for constants too.",
        ("contract/C5/needed-recorded",), custom_by_operand=for_all_operands_when_recorded),
    behaviour("rule-for-detached-results", "A custom rule is called for a detached result too.",
        ("contract/C5/needed-of-results",), custom_by_operand=for_detached_results, detach=detached_is_kept),
    behaviour("last-two-of-three-swapped", "Of a custom rule's three outputs the cotangents of the last two are exchanged.",
        OUTPUTS, custom_by_operand=rule_with(last_two_of_three_swapped)),
    behaviour("pairs-pushed-in-reverse", "In forward mode the tangents of a custom rule's two outputs are exchanged.",
        ("contract/C5/forward",), base=PairsPushedInReverse),
)  # fmt: skip
