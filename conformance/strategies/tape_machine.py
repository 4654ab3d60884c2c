"""Random histories of a tape: graphs built, traversed, detached and cleared in any order."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import initialize, precondition, rule

from conformance.history import Call, Verb
from conformance.ops.names import GETITEM, MATMUL, NEGATIVE, PERMUTE_DIMS, RESHAPE, SQUARE, SUM
from conformance.oracle.histories import Definition
from conformance.strategies.machine import BINARY, SHAPES, Data, Drawing

UNARY: tuple[tuple[str, dict[str, Any], tuple[int, ...]], ...] = (
    (NEGATIVE, {}, (0, 1, 2)),
    (SQUARE, {}, (0, 1, 2)),
    (SUM, {"axis": None, "keepdims": False}, (1, 2)),
    (PERMUTE_DIMS, {"axes": (1, 0)}, (2,)),
    (RESHAPE, {"shape": (4,)}, (2,)),
    (GETITEM, {"index": (0,)}, (1, 2)),
    (GETITEM, {"index": (slice(None), 1)}, (2,)),
    (GETITEM, {"index": (slice(None),)}, (1, 2)),
)
REGIONS: tuple[tuple[Any, ...], ...] = (  # by the number of axes: where a value is written
    ((...,),),
    ((0,), (slice(None, None, 2),), (...,)),
    ((0,), (slice(None), 1), (...,)),
)
SCOPES = (Verb.ENTER_NO_GRAD, Verb.EXIT_NO_GRAD)
MOST_VALUES = 10


class Tape(Drawing):
    """Calls of one thread on a tape: graphs built, traversed, detached and cleared in any order."""

    def __init__(self) -> None:
        super().__init__()
        self.definition = Definition(type(self).find, has_views=True)  # the strictest of all conventions

    @initialize(data=st.data())
    def begin(self, data: Data) -> None:
        """There is always a graph, if a small one."""
        self.leaf(data)
        self.leaf(data)
        self.combine(data)

    @precondition(lambda self: len(self.definition.stored) < 4)
    @rule(data=st.data())
    def leaf(self, data: Data) -> None:
        """A leaf."""
        self.add(Verb.LEAF, makes=True, array=self.array(data, data.draw(st.sampled_from(SHAPES))))

    @precondition(lambda self: self.count < MOST_VALUES)
    @rule(data=st.data())
    def constant(self, data: Data) -> None:
        """A constant."""
        shape = data.draw(st.sampled_from(SHAPES))
        self.add(Verb.CONSTANT, makes=True, array=self.array(data, shape))

    @rule(data=st.data())
    def combine(self, data: Data, *, is_in_other_thread: bool = False) -> None:
        """An op of two values that fit."""
        first = self._latest(data)
        shape = self.definition.value(first).shape
        fitting = [
            n for n in self._values() if {self.definition.value(n).shape, shape} <= {shape, ()} or shape == ()
        ]
        second = data.draw(st.sampled_from(fitting))
        op = data.draw(st.sampled_from(BINARY))
        if len(shape) == self.definition.value(second).ndim == 2:
            op = data.draw(st.sampled_from((*BINARY, MATMUL)))
        self.add(Verb.APPLY, first, second, makes=True, op=op, is_in_other_thread=is_in_other_thread)

    @rule(data=st.data())
    def combine_more(self, data: Data) -> None:
        """Graphs are built more often than traversed."""
        self.combine(data)

    @rule(data=st.data())
    def change(self, data: Data) -> None:
        """An op of one value."""
        self._change(data, self._latest(data))

    @rule(data=st.data())
    def detach(self, data: Data) -> None:
        """A value detached from its history."""
        self.add(Verb.DETACH, self._latest(data), makes=True)

    @rule(data=st.data())
    def write(self, data: Data) -> None:
        """A value, or part of it, written with another or a constant."""
        self._write(data, self._latest(data))

    @rule(data=st.data())
    def write_leaf(self, data: Data) -> None:
        """A leaf, which refuses that by one convention, where no no_grad scope is open."""
        self._write(data, self._leaf(data))

    @rule(data=st.data())
    def write_and_traverse(self, data: Data) -> None:
        """A value, perhaps traversed already, and another made of it; one of them is written, and both are traversed."""
        whole = self._made(data)
        if data.draw(st.booleans()):
            self._backward(data, whole, Verb.BACKWARD_RETAINING)
        part = self.count - 1 if self._change(data, whole) else whole
        self._write(data, data.draw(st.sampled_from((whole, part))))
        self._read(data, part, Verb.BACKWARD_RETAINING)
        self._read(data, whole)

    @rule(data=st.data())
    def step(self, data: Data) -> None:
        """A leaf, or what was made of leaves, written in a scope of its own, as optimisers do, and traversed."""
        target = self._leaf(data) if data.draw(st.booleans()) else self._made(data)
        self.add(Verb.ENTER_NO_GRAD)
        self._write(data, target)
        self.add(Verb.EXIT_NO_GRAD)
        self._read(data, target)

    @rule(data=st.data())
    def fill(self, data: Data) -> None:
        """A constant filled with what is recorded, as caches are, and traversed."""
        source, buffer = self._recorded(data), self.count
        array = self.array(data, self.definition.value(source).shape)
        self.add(Verb.CONSTANT, makes=True, array=array)
        self.add(Verb.WRITE, buffer, source, parameters={"index": (...,)})
        self._read(data, buffer)

    @rule(data=st.data())
    def break_(self, data: Data) -> None:
        """A rule that raises in the backward pass, beside a path that avoids it; and the backward pass that fails."""
        of = self._recorded(data)
        op = data.draw(st.sampled_from(BINARY))
        if self.add(Verb.APPLY_RAISING, of, makes=True):
            self.add(Verb.APPLY, self.count - 1, of, makes=True, op=op)
            self.traverse_latest(data)

    @precondition(lambda self: self.definition.scopes < 2 and self.calls[-1].verb not in SCOPES)
    @rule()
    def open(self) -> None:
        """A scope without recording."""
        self.add(Verb.ENTER_NO_GRAD)

    @precondition(lambda self: self.definition.scopes and self.calls[-1].verb not in SCOPES)
    @rule()
    def close(self) -> None:
        """Its end."""
        self.add(Verb.EXIT_NO_GRAD)

    @rule(data=st.data(), verb=st.sampled_from((Verb.BACKWARD, Verb.BACKWARD_RETAINING)))
    def traverse(self, data: Data, verb: Verb, *, is_in_other_thread: bool = False) -> None:
        """A backward pass, with a cotangent or from a scalar without."""
        of = self._recorded(data)
        shape = self.definition.value(of).shape
        is_seeded = shape == () and data.draw(st.booleans())
        self.add(
            verb,
            of,
            array=None if is_seeded else self.array(data, shape),
            is_in_other_thread=is_in_other_thread,
        )

    @rule(data=st.data())
    def traverse_latest(
        self, data: Data, verb: Verb = Verb.BACKWARD, *, is_in_other_thread: bool = False
    ) -> None:
        """A backward pass from what was made last."""
        latest = max(n for n in self.definition.at if self.definition.has_gradient(n))
        array = self.array(data, self.definition.value(latest).shape)
        self.add(verb, latest, array=array, is_in_other_thread=is_in_other_thread)

    @rule(data=st.data())
    def traverse_again(self, data: Data) -> None:
        """A second backward pass from the value of the last one."""
        passes = [call for call in self.calls if call.verb in (Verb.BACKWARD, Verb.BACKWARD_RETAINING)]
        if passes:
            self.add(passes[-1].verb, *passes[-1].of, array=passes[-1].array)

    @rule(data=st.data())
    def refuse(self, data: Data) -> None:
        """A cotangent of another shape, which does not broadcast to the right one."""
        of = self._recorded(data)
        self.add(Verb.BACKWARD_MISSHAPEN, of, array=self.array(data, (3, *self.definition.value(of).shape)))

    @rule(data=st.data())
    def clear(self, data: Data) -> None:
        """A gradient forgotten, once or twice: one that is there, if there is any."""
        stored = self.definition.stored
        held = [leaf for leaf, gradient in stored.items() if gradient is not None]
        leaf = data.draw(st.sampled_from(sorted(held or stored)))
        for _ in range(data.draw(st.integers(1, 2))):
            self.add(Verb.CLEAR, leaf)

    def follow(self, call: Call) -> None:
        """Follow a backward pass: it succeeds unless a rule raises."""
        super().follow(call)
        if call.verb in (Verb.BACKWARD, Verb.BACKWARD_RETAINING):
            done = self.definition.backward_pass(call)
            kept = {
                leaf: self.definition.outcomes(done, leaf, has_failed=done.must_fail)[-1]
                for leaf in done.arrives
            }
            self.definition.settle(call, done, kept, has_failed=done.must_fail)

    def _values(self) -> list[int]:
        return sorted(self.definition.at, reverse=True)

    def _latest(self, data: Data) -> int:
        return int(data.draw(st.sampled_from(self._values())))

    def _leaf(self, data: Data) -> int:
        return int(data.draw(st.sampled_from(sorted(self.definition.stored))))

    def _made(self, data: Data) -> int:
        """What was made of leaves, as something was from the beginning."""
        return int(
            data.draw(
                st.sampled_from([n for n in self._recorded_values() if n not in self.definition.stored])
            )
        )

    def _change(self, data: Data, of: int) -> bool:
        ndim = self.definition.value(of).ndim
        op, parameters = data.draw(st.sampled_from([(o, p) for o, p, ndims in UNARY if ndim in ndims]))
        return self.add(Verb.APPLY, of, makes=True, op=op, parameters=parameters)

    def _write(self, data: Data, target: int) -> None:
        value = self.definition.value(target)
        index = data.draw(st.sampled_from(REGIONS[value.ndim]))
        region = value[index].shape
        apart = set(self._recorded_values()) - set(self.definition.sharing.tree(target))
        fitting = [n for n in sorted(apart) if self.definition.value(n).shape in ((), region)]
        source = data.draw(st.sampled_from([*fitting, None]))
        if source is None:
            source = self.count
            self.add(Verb.CONSTANT, makes=True, array=self.array(data, region))
        self.add(Verb.WRITE, target, source, parameters={"index": index})

    def _read(self, data: Data, number: int, verb: Verb = Verb.BACKWARD) -> None:
        """A backward pass from a value, or from an op of it."""
        op = data.draw(st.sampled_from(("", *BINARY[:2])))
        if op and self.add(Verb.APPLY, number, number, makes=True, op=op):
            number = self.count - 1
        self._backward(data, number, verb)

    def _backward(self, data: Data, number: int, verb: Verb) -> None:
        self.add(verb, number, array=self.array(data, self.definition.value(number).shape))

    def _recorded(self, data: Data) -> int:
        return int(data.draw(st.sampled_from(self._recorded_values())))

    def _recorded_values(self) -> list[int]:
        return [n for n in self._values() if self.definition.has_gradient(n)]


class Threads(Tape):
    """The same, some of them in threads of their own, one after the other."""

    @rule(data=st.data())
    def combine_elsewhere(self, data: Data) -> None:
        """An op in another thread, where no scope is open."""
        self.combine(data, is_in_other_thread=True)

    @precondition(lambda self: self.definition.scopes)
    @rule(data=st.data())
    def record_elsewhere(self, data: Data) -> None:
        """While a scope is open here, another thread records, and what it recorded is traversed."""
        of = self._recorded(data)
        self.add(
            Verb.APPLY, of, of, makes=True, op=data.draw(st.sampled_from(BINARY)), is_in_other_thread=True
        )
        self.traverse_latest(data)

    @rule(data=st.data())
    def traverse_elsewhere(self, data: Data) -> None:
        """A backward pass in another thread."""
        self.traverse(data, Verb.BACKWARD, is_in_other_thread=True)

    @rule(data=st.data())
    def traverse_latest_elsewhere(self, data: Data) -> None:
        """A backward pass from what was made last, in another thread."""
        self.traverse_latest(data, is_in_other_thread=True)
