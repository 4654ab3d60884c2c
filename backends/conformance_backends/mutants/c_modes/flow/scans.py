"""Mutants whose loops over items drop steps, or what a step is given."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from conformance.backend import Function
from conformance_backends import numpy_engine as engine
from conformance_backends.mutants.mutant import Mutant, SteppedTape, behaviour
from conformance_backends.numpy_engine.tensor import Tensor, detach

LOOP = "contract/C11/loop"
LENGTHS = "contract/C11/loop-lengths"


def _whole(carry: Any, change: Callable[[Any], Any]) -> Any:
    """A carry, changed array by array."""
    return tuple(map(change, carry)) if isinstance(carry, tuple) else change(carry)


def last_step_dropped(self: Any, step: Function, carry: Any, items: Any) -> Any:
    """The last item is put out, and does not change the carry."""
    states = [carry]

    def noted(state: Any, item: Any) -> Any:
        carry, output = step(state, item)
        states.append(carry)
        return carry, output

    last, outputs = engine.scan(noted, carry, items)
    return (states[-2] if len(states) > 1 else last), outputs


def captured_counts_once(self: Any, step: Function, carry: Any, items: Any) -> Any:
    """All steps but the last one are computed without history."""
    count = len(items)
    if count < 2:
        return engine.scan(step, carry, items)
    numbers = iter(range(count))

    def unrecorded(state: Any, item: Any) -> Any:
        if next(numbers) == count - 1:
            return step(state, item)
        values, edges = [detach(x) for x in _listed(state)], _listed(state)
        with engine.no_grad():
            after, output = step(state, item)
        # The carry's own cotangent still goes through: as if the step were the identity of its history.
        return _whole(after, lambda x: x + 0 * edges[0] if len(values) == 1 else x), output

    return engine.scan(unrecorded, carry, items)


def _listed(carry: Any) -> list[Any]:
    return list(carry) if isinstance(carry, tuple) else [carry]


def outputs_are_constants(self: Any, step: Function, carry: Any, items: Any) -> Any:
    """No cotangent goes back from the outputs."""
    last, outputs = engine.scan(step, carry, items)
    return last, engine.detach(outputs) if not isinstance(outputs, Tensor) else Tensor(outputs.value)


def carry_is_a_constant(self: Any, step: Function, carry: Any, items: Any) -> Any:
    """The first carry is a constant."""
    return engine.scan(step, _whole(carry, lambda x: Tensor(detach(x))), items)


def at_least_one_step(self: Any, step: Function, carry: Any, items: Any) -> Any:
    """A loop over no items makes a step with zeros."""
    last, outputs = engine.scan(step, carry, items)
    if not len(items):
        last = step(carry, Tensor(np.zeros(items.shape[1:], items.dtype)))[0]
    return last, outputs


def outputs_squeezed(self: Any, step: Function, carry: Any, items: Any) -> Any:
    """The outputs of a loop of one step are not stacked."""
    last, outputs = engine.scan(step, carry, items)
    return last, outputs[0] if len(items) == 1 else outputs


def in_double(self: Any, step: Function, carry: Any, items: Any) -> Any:
    """The carry is kept in double precision."""
    return engine.scan(lambda s, x: step(s, x), _whole(carry, _doubled), items)


def _doubled(x: Any) -> Any:
    return (
        x.astype("float64") if isinstance(x, Tensor) and x.dtype != np.float64 and x.dtype.kind == "f" else x
    )


def first_array_alone(self: Any, step: Function, carry: Any, items: Any) -> Any:
    """Of a carry of several arrays the first one has a history."""

    def cut(state: Any, item: Any) -> Any:
        after, output = step(state, item)
        if isinstance(after, tuple):
            after = (after[0], *(Tensor(detach(x)) for x in after[1:]))
        return after, output

    return engine.scan(cut, carry, items)


def unchanged_forgotten(self: Any, step: Function, carry: Any, items: Any) -> Any:
    """An array of the carry that a step hands on as it was loses its history."""

    def cut(state: Any, item: Any) -> Any:
        after, output = step(state, item)
        if isinstance(after, tuple):
            same = [any(z is x for x in _listed(state)) and z is state[n] for n, z in enumerate(after)]
            after = tuple(Tensor(z.value) if is_same else z for z, is_same in zip(after, same, strict=True))
        return after, output

    return engine.scan(cut, carry, items)


def unused_items_get_the_cotangent(self: Any, step: Function, carry: Any, items: Any) -> Any:
    """A carry that a step drops, or an item that it drops, gets the cotangent of what takes its place."""

    def added(state: Any, item: Any) -> Any:
        after, output = step(state, item)
        kept = after if isinstance(after, tuple) else _passing(after, state, item)
        return kept, output

    return engine.scan(added, carry, items)


def _passing(after: Any, state: Any, item: Any) -> Any:
    """`after`, whose cotangent the carry and the item get too, where `after` does not depend on them."""
    pair = [detach(state), detach(item), detach(after)]
    if any(x.shape != pair[0].shape for x in pair):
        return after
    reached = _reaches(after)
    missing = [
        x for x in (state, item) if isinstance(x, Tensor) and x.node is not None and x.node not in reached
    ]
    rule = engine.custom(lambda z, *_: z, lambda g, *xs: (g,) * len(xs))
    return rule(after, *missing) if missing else after


def _reaches(array: Any) -> set[Any]:
    """The nodes behind an array."""
    found, waiting = set(), [array.node]
    while waiting:
        node = waiting.pop()
        if node is not None and node not in found:
            found.add(node)
            waiting += node.inputs
    return found


class RuleOfTheFirstStep(SteppedTape):
    """In a loop a custom rule is used by its first step alone; the others differentiate what it computes."""

    def custom(self, forward: Function, backward: Function) -> Function:
        """The rule, or the op without it."""
        ruled = engine.custom(forward, backward)

        def operation(*operands: Any) -> Any:
            if self.kept.get("step", 0) > 1:
                return forward(*operands)
            return ruled(*operands)

        return operation

    def scan(self, step: Function, carry: Any, items: Any) -> Any:
        """The engine's loop, its steps counted."""

        def counted(state: Any, item: Any) -> Any:
            self.kept["step"] += 1
            return step(state, item)

        self.kept["step"] = 0
        try:
            return engine.scan(counted, carry, items)
        finally:
            self.kept["step"] = 0


class CapturedByRulesInLoops(SteppedTape):
    """In a loop the last operand of a custom rule of each operand is taken for a constant, as if it were captured."""

    def custom_by_operand(self, forward: Function, backward: Function) -> Function:
        """The rule, whose last operand is a constant in a loop."""
        ruled = engine.custom_by_operand(forward, backward)

        def operation(*operands: Any) -> Any:
            *others, last = operands
            return ruled(*others, engine.detach(last)) if self.kept.get("looping") else ruled(*operands)

        return operation

    def scan(self, step: Function, carry: Any, items: Any) -> Any:
        """The engine's loop; meanwhile `kept["looping"]` is true."""
        self.kept["looping"] = True
        try:
            return engine.scan(step, carry, items)
        finally:
            self.kept["looping"] = False


class DetachedAfterTheFirst(SteppedTape):
    """In a loop what the first step detaches is a constant; the others hand it on."""

    def detach(self, array: Any) -> Any:
        """The engine's constant, or the array."""
        return array if self.kept.get("step", 0) > 1 else super().detach(array)

    scan = RuleOfTheFirstStep.scan


class InnerLoopCaptures(SteppedTape):
    """What a loop in a loop captures from around both is a constant in all its blocks but the last."""

    def scan(self, step: Function, carry: Any, items: Any) -> Any:
        """The engine's loop, which knows how deep it is."""
        depth = self.kept.get("depth", 0)
        self.kept["depth"] = depth + 1
        numbers = iter(range(len(items)))

        def inner(state: Any, item: Any) -> Any:
            if depth == 0:
                self.kept["is_last"] = next(numbers) == len(items) - 1
            if depth == 0 or self.kept["is_last"]:
                return step(state, item)
            with engine.no_grad():
                after, output = step(state, item)
            passing = engine.custom(lambda z, s, x: z, lambda g, z, s, x: (None, g * (z - x) / s, g))
            return passing(after, state, item), output

        try:
            return engine.scan(inner, carry, items)
        finally:
            self.kept["depth"] = depth


def of_several(cut: Callable[..., Any]) -> Callable[..., Any]:
    """What is wrong of the second of several carries alone."""

    def second(state: Any) -> Any:
        return (state[0], cut(state[1]), *state[2:]) if isinstance(state, tuple) and len(state) > 1 else state

    return second


def constant(state: Any) -> Any:
    """The same numbers without a history."""
    return _whole(state, lambda x: Tensor(detach(x)))


def cut_every(count: int, cut: Callable[..., Any] = constant) -> Callable[..., Any]:
    """A loop whose carry, or what of it is cut, is a constant after every so many steps."""

    def scan(self: Any, step: Function, carry: Any, items: Any) -> Any:
        numbers = iter(range(len(items)))

        def counted(state: Any, item: Any) -> Any:
            n = next(numbers)
            return step(cut(state) if n and n % count == 0 else state, item)

        return engine.scan(counted, carry, items)

    return scan


MUTANTS: tuple[Mutant, ...] = (
    behaviour("loop-drops-last", "A loop's last item does not change the carry.", (LOOP, LENGTHS, "capability/loops"), scan=last_step_dropped),
    behaviour("loop-captured-once", "What a loop captures has the gradient of its last step.", (LOOP,), scan=captured_counts_once),
    behaviour("loop-outputs-constant", "The outputs of a loop send no cotangent back.", (LOOP,), scan=outputs_are_constants),
    behaviour("loop-carry-constant", "The first carry of a loop has no gradient.", (LOOP,), scan=carry_is_a_constant),
    behaviour("loop-of-nothing-steps", "A loop over no items makes one step.", ("contract/C11/loop-of-nothing",), scan=at_least_one_step),
    behaviour("loop-of-one-not-stacked", "The outputs of a loop of one step are not stacked.", (LENGTHS,), scan=outputs_squeezed),
    behaviour("loop-cut-every-8", "The carry of a loop is a constant after every eight steps.", ("contract/C11/loop-of-many",), scan=cut_every(8)),
    behaviour("loop-cuts-a-carry", "The second of several carries of a loop is a constant after every eight steps.",
        ("contract/C11/loop-carries",), scan=cut_every(8, of_several(constant))),
    behaviour("loop-cut-every-128", "The carry of a loop is a constant after every 128 steps.", ("contract/C11/loop-of-many",), scan=cut_every(128)),
    behaviour("loop-in-double", "A loop keeps its carry in double precision.", ("contract/C11/loop-dtypes",), scan=in_double),
    behaviour("loop-first-array-alone", "Of a carry of several arrays the first one has a gradient.",
        ("contract/C11/loop-carries",), scan=first_array_alone),
    behaviour("loop-of-nothing-like-items", "The outputs of a loop over no items have the shape of the items.",
        ("contract/C11/loop-of-nothing",), scan=lambda self, step, carry, items:
        engine.scan(step, carry, items) if len(items) else (carry, Tensor(np.zeros(items.shape, items.dtype)))),
    behaviour("loop-unchanged-forgotten", "An array of the carry that a step hands on has no gradient.",
        ("contract/C11/loop-carries",), scan=unchanged_forgotten),
    behaviour("loop-unused-gets-cotangent", "An item that a step drops gets the cotangent of the carry.",
        ("contract/C11/loop-unused",), scan=unused_items_get_the_cotangent),
    behaviour("loop-rule-once", "A custom rule in a loop is used by the first step.", ("contract/C11/loop-rule",), base=RuleOfTheFirstStep),
    behaviour("loop-rule-captures-constants", "In a loop the last operand of a rule of each operand is a constant.",
        ("contract/C11/loop-rule-captured",), base=CapturedByRulesInLoops),
    behaviour("loop-detached-once", "What a loop's step detaches is a constant in its first step.",
        ("contract/C11/loop-detached",), base=DetachedAfterTheFirst),
    behaviour("loop-in-a-loop-captures-once", "What a loop in a loop captures has the gradient of the last block.",
        ("contract/C11/loop-nested",), base=InnerLoopCaptures),
)  # fmt: skip
