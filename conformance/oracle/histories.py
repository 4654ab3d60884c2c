"""What a history means: every value, and every stored gradient, by the definition.

A graph of plain arrays that grows with the calls. The gradient of a backward pass is the reverse sweep over
the part of the graph behind it. Values are small integers, so that whatever order an engine
computes in, it must arrive at the same bits.

A write makes a new value, of the old one and of what is written, and its number is then that value's; so it is
with every value that shares the memory. Where nothing is recorded a write changes the value and leaves the history.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from conformance.case import Array
from conformance.history import Call, Verb
from conformance.op import Trait
from conformance.ops.names import ADD, BROADCAST_TO, GETITEM, INDEX_UPDATE, PERMUTE_DIMS
from conformance.oracle.entries import Entry, Find, Graph
from conformance.oracle.reverse_sweep import gradient_bounds, reverse_sweep
from conformance.oracle.sharing import Sharing

LARGEST_VALUE = 64.0
LARGEST_GRADIENT = 2.0**20  # single precision holds every integer up to 2**24
BACKWARD_VERBS = (Verb.BACKWARD, Verb.BACKWARD_RETAINING, Verb.BACKWARD_MISSHAPEN)


@dataclass(frozen=True)
class BackwardPass:
    """What a backward pass must do.

    Attributes:
        arrives: for each leaf that it reaches, what arrives there.
        spoiled: the leaves behind a rule that raises: what arrives there is never complete.
        may_fail: whether the engine may refuse: the graph was traversed before, or what it saved was written.
    """

    arrives: Mapping[int, Array]
    spoiled: frozenset[int]
    may_fail: bool
    nodes: frozenset[int]

    @property
    def must_fail(self) -> bool:
        """Whether the exception of a rule must come through."""
        return bool(self.spoiled)


class Definition:
    """The values and stored gradients that a history so far must have led to.

    Attributes:
        at: for the number of a value, the entry that it is now.
        stored: for the number of a leaf, what it keeps; None before anything arrived.
        scopes: how many scopes without recording are open.
        accumulates: whether a leaf adds what arrives to what it keeps (B3).
        sharing: which values share memory.
        leaf_writes: what becomes of a recorded write into a leaf (D5).
        constant_writes: what becomes of one into a constant (D11).
    """

    def __init__(
        self,
        find: Find,
        *,
        accumulates: bool = True,
        has_views: bool = False,
        leaf_writes: str = "refused",
        constant_writes: str = "recorded",
    ) -> None:
        self.graph = Graph(find)
        self.accumulates = accumulates
        self.has_views = has_views
        self.leaf_writes = leaf_writes
        self.constant_writes = constant_writes
        self.sharing = Sharing()
        self.at: dict[int, int] = {}
        self.stored: dict[int, Array | None] = {}
        self.scopes = 0
        self._traversed: set[int] = set()
        self._written: set[int] = set()  # entries whose memory has since been written

    # ---- values -----------------------------------------------------------------------------

    def value(self, number: int) -> Array:
        """The value of that number, as it is now."""
        return self.graph[self.at[number]].value

    def has_gradient(self, number: int) -> bool:
        """Whether a leaf is behind it."""
        return self.graph[self.at[number]].has_gradient

    def allows(self, call: Call) -> bool:
        """Whether a call is possible, and what comes of it small enough to be exact."""
        if any(number not in self.at for number in call.of):
            return False
        if call.verb is Verb.EXIT_NO_GRAD:
            return self.scopes > 0
        if call.verb is Verb.APPLY:
            return bool(np.abs(self._applied(call)).max(initial=0.0) <= LARGEST_VALUE)
        if call.verb is Verb.APPLY_RAISING:
            return bool(np.abs(self.value(call.of[0])).max(initial=0.0) <= LARGEST_VALUE / 2)
        if call.verb in BACKWARD_VERBS:
            return self.has_gradient(call.of[0]) and self._stays_exact(call)
        return call.verb is not Verb.WRITE or self._may_write(call)

    def _may_write(self, call: Call) -> bool:
        """Whether a write fits, and means one thing: into certain memory, from elsewhere, no leaf renewed."""
        target, source = call.of
        fits = self.value(source).shape in ((), self.value(target)[call.parameters["index"]].shape)
        is_apart = source not in self.sharing.tree(target)
        # The old gradient of a leaf that was renewed has no number by which it could be read.
        is_renewing = self.leaf_writes == "renewed" and self._writes_leaf(call)
        return fits and is_apart and self.sharing.is_clear(target) and not is_renewing

    def _writes_leaf(self, call: Call) -> bool:
        """Whether a leaf is written while recording, itself or through a view."""
        return not self.scopes and any(n in self.stored for n in self.sharing.tree(call.of[0]))

    def refuses(self, call: Call) -> bool:
        """Whether a write must be refused."""
        return (self.leaf_writes == "refused" and self._writes_leaf(call)) or (
            self.constant_writes == "refused" and self._writes_constant(call)
        )

    def _writes_constant(self, call: Call) -> bool:
        """Whether what has a gradient is written into what has none while recording."""
        target, source = call.of
        return not self.scopes and self.has_gradient(source) and not self.has_gradient(target)

    def _applied(self, call: Call) -> Array:
        values = [self.value(number) for number in call.of]
        return np.asarray(self.graph.find(call.op).reference(*values, **call.parameters))

    def _stays_exact(self, call: Call) -> bool:
        """Whether no sum of the backward pass can outgrow the integers of single precision."""
        program, leaves = self.graph.program(self.at[call.of[0]], self._seed(call))
        bounds = gradient_bounds(program, self.graph.find, (*program.leaves, program.cotangent))
        kept = {leaf: self.stored[leaf] for leaf in leaves}
        return all(
            np.max(bound + (0 if (before := kept[leaf]) is None else np.abs(before)), initial=0.0)
            <= LARGEST_GRADIENT
            for leaf, bound in _summed(leaves, bounds).items()
        )

    # ---- calls whose outcome is certain ------------------------------------------------------------

    def take(self, call: Call) -> None:
        """What a call does to values and scopes; backward passes are `backward_pass` and `settle`."""
        if call.verb is Verb.ENTER_NO_GRAD:
            self.scopes += 1
        elif call.verb is Verb.EXIT_NO_GRAD:
            self.scopes -= 1
        elif call.verb is Verb.CLEAR:
            self.stored[call.of[0]] = None
        elif call.verb is Verb.WRITE:
            if not self.refuses(call):
                self._write(call)
        elif call.made is not None:
            if self.has_views:
                self.sharing.note(call, is_recorded=self._is_recorded(call))
            self.at[call.made] = self._made(call)
            if call.verb is Verb.LEAF:
                self.stored[call.made] = None

    def _is_recorded(self, call: Call) -> bool:
        return not self.scopes or call.is_in_other_thread  # a scope is its own thread's

    def _made(self, call: Call) -> int:
        """Add the entry that a call makes: a constant where nothing is recorded."""
        if call.verb is Verb.DETACH:
            return self.graph.add(Entry(self.value(call.of[0])))
        if call.array is not None:  # a leaf, or a constant
            is_leaf = call.verb is Verb.LEAF
            return self.graph.add(Entry(call.array), leaf=call.made if is_leaf else None)
        sources = tuple(self.at[number] for number in call.of)
        if call.verb is Verb.APPLY_RAISING:
            value = self.value(call.of[0])
            made = self.graph.add_made(Entry(value + value, ADD, 2 * sources, is_broken=True))
        else:
            made = self.graph.apply(call.op, sources, call.parameters)
        return made if self._is_recorded(call) else self.graph.add(Entry(self.graph[made].value))

    # ---- writes --------------------------------------------------------------------------------------

    def _write(self, call: Call) -> None:
        """Rebind what is written, and what shares its memory."""
        target, source = call.of
        index, spread = call.parameters["index"], self.at[source]
        if self.constant_writes == "constant" and self._writes_constant(call):
            spread = self.graph.add(Entry(self.value(source)))
        before = {number: self.at[number] for number in self.sharing.tree(target)}
        self._written.update(before.values())
        region = self.value(target)[index].shape
        if self.value(source).shape != region:
            spread = self.graph.apply(BROADCAST_TO, (spread,), {"shape": region})
        self._rebind(target, self.graph.apply(INDEX_UPDATE, (self.at[target], spread), {"index": index}))
        if self.scopes:
            self.at.update({n: self.graph.add_changed(entry, self.value(n)) for n, entry in before.items()})

    def _rebind(self, number: int, entry: int) -> None:
        """Make a number mean another entry: through its base, from which all views are then taken again."""
        view = self.sharing.made.get(number)
        if view is None:
            self.at[number] = entry
            for other in self.sharing.tree(number)[1:]:
                made = self.sharing.made[other]
                self.at[other] = self.graph.apply(made.op, (self.at[made.of[0]],), made.parameters)
        elif view.op == GETITEM:
            base = self.at[view.of[0]]
            self._rebind(view.of[0], self.graph.apply(INDEX_UPDATE, (base, entry), view.parameters))
        else:
            back = tuple(int(axis) for axis in np.argsort(view.parameters["axes"]))
            self._rebind(view.of[0], self.graph.apply(PERMUTE_DIMS, (entry,), {"axes": back}))

    # ---- backward passes ---------------------------------------------------------------------------------------

    def backward_pass(self, call: Call) -> BackwardPass:
        """What the backward pass of a call must do."""
        top = self.at[call.of[0]]
        program, leaves = self.graph.program(top, self._seed(call))
        gradients = reverse_sweep(program, self.graph.find, (*program.leaves, program.cotangent))
        nodes = frozenset(n for n in self.graph.behind(top) if self.graph[n].op)
        spoiled = {behind for n in nodes if self.graph[n].is_broken for behind in self.graph.behind(n)}
        saved = {source for n in nodes if self._saves_operands(n) for source in self.graph[n].sources}
        return BackwardPass(
            _summed(leaves, gradients),
            frozenset(leaf for entry, leaf in self.graph.leaf_of.items() if entry in spoiled),
            bool(nodes & self._traversed or saved & self._written),
            nodes,
        )

    def _saves_operands(self, node: int) -> bool:
        """Whether the rule of a node reads its operands again."""
        return Trait.SAVES_OPERANDS in self.graph.find(self.graph[node].op).traits

    def outcomes(self, done: BackwardPass, leaf: int, *, has_failed: bool) -> tuple[Array, ...]:
        """What a leaf may keep after a backward pass: where that failed, all or nothing of what arrives."""
        before, arrives = self.stored[leaf], done.arrives[leaf]
        whole = arrives if before is None or not self.accumulates else before + arrives
        if not has_failed:
            return (whole,)
        nothing = np.zeros_like(arrives) if before is None else before
        return (nothing,) if leaf in done.spoiled else (nothing, whole)

    def settle(self, call: Call, done: BackwardPass, kept: Mapping[int, Array], *, has_failed: bool) -> None:
        """Note what the leaves keep after a backward pass, and that its nodes have been traversed."""
        self.stored.update(kept)
        if has_failed or call.verb is Verb.BACKWARD:
            self._traversed |= done.nodes

    def _seed(self, call: Call) -> Array:
        shape = self.value(call.of[0])
        return (
            np.ones_like(shape) if call.array is None or call.verb is Verb.BACKWARD_MISSHAPEN else call.array
        )


def _summed(leaves: Sequence[int], arrived: Sequence[Array]) -> dict[int, Array]:
    """What arrives at each leaf, all its entries together."""
    total: dict[int, Array] = {}
    for leaf, array in zip(leaves, arrived, strict=False):
        total[leaf] = array if leaf not in total else total[leaf] + array
    return total


def offered(calls: Sequence[Call], capabilities: frozenset[Any], ops: Mapping[str, Any]) -> Iterator[Call]:
    """The calls that an engine of these capabilities and ops offers."""
    for call in calls:
        if (call.needs is None or call.needs in capabilities) and all(op in ops for op in call.ops):
            yield call
