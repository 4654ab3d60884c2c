"""Mutants that record, cut, freeze and call hand-written rules wrongly."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from conformance.backend import Trace
from conformance_backends import numpy_engine as engine
from conformance_backends.mutants.mutant import Mutant, Scoped, Walking, behaviour, rule
from conformance_backends.numpy_engine.graph import Node
from conformance_backends.numpy_engine.tensor import Tensor, detach, edge_of

# ---- scopes without recording ------------------------------------------------------------------------


@contextlib.contextmanager
def ended_only_by_reaching_its_end(self: Any) -> Iterator[None]:
    """No `finally`: an exception leaves the scope open."""
    before, self.is_stopped = self.is_stopped, True
    yield
    self.is_stopped = before


@contextlib.contextmanager
def ended_by_ordinary_exceptions(self: Any) -> Iterator[None]:
    """`except Exception` does not see the GeneratorExit of a generator that is closed."""
    before, self.is_stopped = self.is_stopped, True
    try:
        yield
    except Exception:
        self.is_stopped = before
        raise
    self.is_stopped = before


@contextlib.contextmanager
def ended_by_the_inner_one(self: Any) -> Iterator[None]:
    """Recording resumes at the end of an inner scope, inside the outer one."""
    self.is_stopped = True
    try:
        yield
    finally:
        self.is_stopped = False


@contextlib.contextmanager
def nested_once(self: Any) -> Iterator[None]:
    """The state before is kept in one place, which an inner scope overwrites."""
    self.kept["before"], self.is_stopped = self.is_stopped, True
    try:
        yield
    finally:
        self.is_stopped = self.kept["before"]


@contextlib.contextmanager
def toggled(self: Any) -> Iterator[None]:
    """A scope in a scope records."""
    before, self.is_stopped = self.is_stopped, not self.is_stopped
    try:
        yield
    finally:
        self.is_stopped = before


# ---- cutting -----------------------------------------------------------------------------------------


def cut_where_it_lies(self: Any, array: Any) -> Tensor:
    """The value itself loses its history, for all who use it."""
    array.edge, array.requires_grad = None, False
    return array  # type: ignore[no-any-return]


def cut_with_a_trace(self: Any, array: Any) -> Tensor:
    """A hundredth still flows back."""
    cut = Tensor(array.value)
    behind = edge_of(array)
    if behind is not None:
        cut.edge = (Node("detach", [behind], lambda gs: [gs[0] / 128]), 0)
        cut.requires_grad = True
    return cut


# ---- operands without a gradient ---------------------------------------------------------------------


def constants_are_leaves(self: Any, function: Any, operands: Sequence[Any], wrt: Any = None) -> Trace:
    """Every operand needs a gradient; only those that were wanted are shown."""
    traced = Walking.trace(self, function, operands)
    chosen = range(len(operands)) if wrt is None else wrt
    return Trace(traced.arrays, traced.outputs, lambda gs: tuple(traced.pull(gs)[i] for i in chosen))


def gradients_move_up(self: Any, function: Any, operands: Sequence[Any], wrt: Any = None) -> Trace:
    """The rules' answers are handed out from the first on, past the constants."""
    traced = Walking.trace(self, function, operands)
    count = len(operands) if wrt is None else len(wrt)
    return Trace(
        Walking.trace(self, function, operands, wrt).arrays,
        traced.outputs,
        lambda gs: traced.pull(gs)[:count],
    )


def frozen_factor_is_one(self: Any, function: Any, operands: Sequence[Any], wrt: Any = None) -> Trace:
    """Where an operand is frozen, what is saved of it for the others is lost."""
    traced = Walking.trace(self, function, operands, wrt)
    if wrt is None or len(wrt) == len(operands):
        return traced
    return Trace(traced.arrays, traced.outputs, lambda gs: tuple(np.sign(g) for g in traced.pull(gs)))


# ---- rules written by hand ------------------------------------------------------------------------------


def by_hand(bend: Callable[..., Any]) -> Any:
    """A `custom` that calls `bend(rule, g, operands)` for the rule."""

    def custom(self: Any, forward: Any, backward: Any) -> Any:
        return engine.custom(forward, lambda g, *xs: bend(backward, g, xs))

    return custom


def called_twice(rule: Any, g: Any, xs: Any) -> Any:
    """The rule is called once more than needed, as if to see its arity."""
    rule(g, *xs)
    return rule(g, *xs)


def with_ones(rule: Any, g: Any, xs: Any) -> Any:
    """The rule gets ones instead of the cotangent, and is multiplied afterwards."""
    return [
        None if p is None else p * g if np.shape(p) == np.shape(g) else p for p in rule(np.ones_like(g), *xs)
    ]


def none_is_ones(rule: Any, g: Any, xs: Any) -> Any:
    """None from a rule stands for ones."""
    return [np.ones_like(x) if p is None else p for p, x in zip(rule(g, *xs), xs, strict=True)]


def none_is_the_cotangent(rule: Any, g: Any, xs: Any) -> Any:
    """None from a rule passes the cotangent on."""
    return [g if p is None else p for p in rule(g, *xs)]


def padded(rule: Any, g: Any, xs: Any) -> Any:
    """Too few answers are filled up, too many cut off."""
    return [*rule(g, *xs), *[None] * len(xs)][: len(xs)]


def surplus_cut(rule: Any, g: Any, xs: Any) -> Any:
    """Answers beyond the operands are not looked at."""
    return rule(g, *xs)[: len(xs)]


def trailing_none_cut(rule: Any, g: Any, xs: Any) -> Any:
    """A trailing None is not looked at."""
    pulled = rule(g, *xs)
    return pulled[:-1] if len(pulled) == len(xs) + 1 and pulled[-1] is None else pulled


def reshaped(rule: Any, g: Any, xs: Any) -> Any:
    """An answer of another shape is reshaped."""
    return [p if p is None else np.reshape(p, x.shape) for p, x in zip(rule(g, *xs), xs, strict=True)]


def bias_from_one_row(rule: Any, g: Any, xs: Any) -> Any:
    """A third answer is averaged over the batch instead of summed."""
    pulled = list(rule(g, *xs))
    if len(pulled) == 3 and np.ndim(pulled[2]) == 1:
        pulled[2] = pulled[2] / len(g)
    return pulled


def differentiated_instead(self: Any, forward: Any, backward: Any) -> Any:
    """The rule is not used: forward is differentiated through."""

    def operation(*operands: Any) -> Any:
        tensors = [x if isinstance(x, Tensor) else Tensor(x) for x in operands]
        return forward(*tensors)

    return operation


def only_if_all_need(self: Any, forward: Any, backward: Any) -> Any:
    """A rule by hand is used only where every operand needs a gradient."""
    operation = engine.custom(forward, backward)

    def call(*operands: Any) -> Any:
        if all(edge_of(x) is not None for x in operands):
            return operation(*operands)
        return operation(*map(detach, operands))

    return call


def broken_after_refusal(self: Any, output: Any, gradient: Any = None, *, retain: bool = False) -> None:
    """After an exception in a walk the engine has stopped recording."""
    try:
        Walking.backward(self, output, gradient)
    except ValueError:
        self.is_stopped = True
        raise


SCOPES = ("contract/C1/no-grad-ends",)

MUTANTS: tuple[Mutant, ...] = (
    behaviour("scope-does-nothing", "A scope without recording records.",
        ("contract/C1/no-grad", "capability/no-grad"), no_grad=lambda self: contextlib.nullcontext()),
    behaviour("scope-leaks-after-exception", "A scope that an exception leaves stays open.",
        SCOPES, base=Scoped, scope=ended_only_by_reaching_its_end),
    behaviour("scope-leaks-from-generator", "A scope in a generator that is closed stays open.",
        SCOPES, base=Scoped, scope=ended_by_ordinary_exceptions),
    behaviour("scope-ends-with-inner", "The end of an inner scope ends the outer one.",
        ("contract/C1/no-grad",), base=Scoped, scope=ended_by_the_inner_one),
    behaviour("scope-toggles", "A scope within a scope records.",
        ("contract/C1/no-grad-nested",), base=Scoped, scope=toggled),
    behaviour("scope-remembers-one", "An inner scope makes the outer one stay open.",
        SCOPES, base=Scoped, scope=nested_once),
    behaviour("scope-of-all-threads", "A scope in one thread stops recording in all.",
        ("contract/C1/no-grad-thread", "history/threads"), base=Scoped),
    behaviour("detach-does-nothing", "A detached value keeps its history.",
        ("contract/C2/detach", "capability/detach"), detach=lambda self, array: array),
    behaviour("detach-leaks", "A little still flows back through a detached value.",
        ("contract/C2/detach",), detach=cut_with_a_trace),
    behaviour("detach-changes-value", "A detached value is off by one unit in the last place.",
        ("contract/C2/detach",), detach=lambda self, array: Tensor(np.nextafter(array.value, np.inf))),
    behaviour("detach-where-it-lies", "Detaching a value cuts it for all who use it.",
        ("contract/C2/detach",), detach=cut_where_it_lies),
    behaviour("constants-get-gradients", "An operand that needs no gradient gets one.",
        ("contract/C4/constants", "contract/C5/custom-constant"), trace=constants_are_leaves),
    behaviour("gradients-move-up", "An operand after a constant receives the constant's gradient.",
        ("contract/C4/constants",), trace=gradients_move_up),
    behaviour("frozen-changes-others", "Freezing one operand of a product changes the other's gradient.",
        ("contract/C4/constants",), trace=frozen_factor_is_one),
    behaviour("rule-called-twice", "A rule by hand is called twice.",
        ("contract/C5/custom-rule", "contract/B2/propagate-once"), custom=by_hand(called_twice)),
    behaviour("rule-gets-ones", "A rule by hand gets ones, and its answers are multiplied by the cotangent.",
        ("example/W4/custom-linear",), custom=by_hand(with_ones)),
    behaviour("rule-averages-bias", "The third answer of a rule by hand is averaged over the batch.",
        ("example/W4/custom-linear",), custom=by_hand(bias_from_one_row)),
    behaviour("rule-needs-all", "A rule by hand is dropped where an operand is constant.",
        ("example/W4/custom-linear",), custom=only_if_all_need),
    behaviour("rule-not-used", "Instead of the rule by hand its forward is differentiated.",
        ("contract/C5/custom-rule", "capability/custom-rule"), custom=differentiated_instead),
    behaviour("none-is-ones", "None from a rule by hand stands for ones.",
        ("contract/C5/custom-none",), custom=by_hand(none_is_ones)),
    behaviour("none-is-cotangent", "None from a rule by hand passes the cotangent on.",
        ("contract/C5/custom-none",), custom=by_hand(none_is_the_cotangent)),
    behaviour("arity-unchecked", "A rule by hand may answer too few or too many cotangents.",
        ("contract/C5/custom-refused", "contract/C5/custom-too-few", "example/W4/trailing-none"),
        custom=by_hand(padded)),
    behaviour("surplus-unchecked", "A rule by hand may answer too many cotangents.",
        ("contract/C5/custom-refused", "example/W4/trailing-none"), custom=by_hand(surplus_cut)),
    behaviour("shape-unchecked", "An answer of another shape is reshaped.",
        ("contract/C5/custom-refused",), custom=by_hand(reshaped)),
    behaviour("trailing-none-tolerated", "A trailing None is tolerated, though refusal is elected.",
        ("example/W4/trailing-none",), custom=by_hand(trailing_none_cut)),
    behaviour("elects-tolerance-refuses", "Tolerance of a trailing None is elected, and it is refused.",
        ("example/W4/trailing-none",), conventions={**Walking.conventions, "C5": "tolerated"}),
    behaviour("stopped-by-refusal", "After a refusal in a walk back nothing is recorded any more.",
        ("contract/C5/custom-refused",), base=Scoped, backward=broken_after_refusal),
    rule("unused-operand-seeded", "The operand that a where does not select receives the cotangent as well.",
        ("op/vjp",), ("where",), lambda right, i, g, z, c, x, y: right(i, g, z, np.full_like(c, i == 1), x, y)),
)  # fmt: skip
