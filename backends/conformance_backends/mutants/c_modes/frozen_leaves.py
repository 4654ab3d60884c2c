"""Mutants that freeze too little, too much, or for too long."""

from __future__ import annotations

from typing import Any

from conformance_backends.mutants.mutant import LeafCotangents, Mutant, SteppedTape, behaviour
from conformance_backends.numpy_engine.graph import Accumulation, Edge
from conformance_backends.numpy_engine.tensor import Tensor

right = SteppedTape.needs_gradient


def nothing_is_frozen(self: Any, leaf: Any, flag: bool) -> None:
    """A leaf cannot be frozen."""
    if flag or not leaf.is_leaf:
        right(self, leaf, flag)


def stored_is_cleared(self: Any, leaf: Any, flag: bool) -> None:
    """The stored gradient is lost."""
    right(self, leaf, flag)
    if not flag:
        leaf.grad = None


def frozen_for_good(self: Any, leaf: Any, flag: bool) -> None:
    """A leaf that was frozen stays so."""
    frozen = self.kept.setdefault("frozen", [])
    if not flag:
        frozen.append(leaf)
    if not any(leaf is each for each in frozen) or not flag:
        right(self, leaf, flag)


class StoredAnew(SteppedTape):
    """The first gradient after a leaf is thawed replaces the stored one."""

    def needs_gradient(self, leaf: Any, flag: bool) -> None:
        """The engine's switch, noted where it switches."""
        if flag and not leaf.requires_grad:
            self.kept.setdefault("anew", []).append(leaf)
        super().needs_gradient(leaf, flag)

    def accumulate(self, leaf: Tensor, arrived: Any) -> None:
        """The engine's sum, or what arrived."""
        anew = self.kept.get("anew", [])
        if any(leaf is each for each in anew):
            self.kept["anew"] = [each for each in anew if each is not leaf]
            leaf.grad = None
        super().accumulate(leaf, arrived)


class FrozenInOldGraphs(SteppedTape):
    """In a graph that was recorded before a leaf was frozen half of what arrives there goes astray, to the leaf before."""

    def accumulate(self, leaf: Tensor, arrived: Any) -> None:
        """The engine's sum; of a leaf that is frozen by now, half of it."""
        super().accumulate(leaf, arrived if leaf.requires_grad else arrived / 2)


class ThawedForNewGraphs(SteppedTape):
    """A leaf that was frozen and thawed gets nothing from graphs that were recorded before."""

    def needs_gradient(self, leaf: Any, flag: bool) -> None:
        """The engine's switch; the node that it replaces is noted."""
        old = leaf.edge
        super().needs_gradient(leaf, flag)
        if not flag and leaf.edge is None and old is not None:
            self.kept.setdefault("old", []).append((old[0], leaf))

    def traverse(self, edge: Edge, cotangent: Any) -> LeafCotangents:
        """The engine's, without what arrives at such nodes of leaves that are thawed by now."""
        old = [node for node, leaf in self.kept.get("old", []) if leaf.requires_grad]
        reached = super().traverse(edge, cotangent)
        return {node: arrived for node, arrived in reached.items() if not any(node is each for each in old)}


def results_are_cut(self: Any, leaf: Any, flag: bool) -> None:
    """A result is frozen like a leaf: its history is dropped."""
    if leaf.is_leaf:
        right(self, leaf, flag)
    elif not flag:
        leaf.edge = None


def results_stay(self: Any, leaf: Any, flag: bool) -> None:
    """A result is not frozen, and nothing says so."""
    if leaf.is_leaf:
        right(self, leaf, flag)


def refused_and_cut(self: Any, leaf: Any, flag: bool) -> None:
    """A result loses its history before it is refused."""
    if not leaf.is_leaf:
        leaf.edge = None
        raise RuntimeError("a result cannot be frozen")
    right(self, leaf, flag)


def constants_stay(self: Any, leaf: Any, flag: bool) -> None:
    """A constant that was not a leaf before does not become one."""
    known = self.kept.setdefault("leaves", [])
    if not flag:
        known.append(leaf)
    if not flag or leaf.requires_grad or any(leaf is each for each in known):
        right(self, leaf, flag)


def written_as_before(self: Any, array: Any, index: Any, value: Any) -> None:
    """A leaf that is frozen refuses writes as before."""
    if any(array is each for each in self.kept.get("were frozen", [])):
        raise RuntimeError("a leaf cannot be written")
    array[index] = value


def noting_frozen(self: Any, leaf: Any, flag: bool) -> None:
    """The engine's switch, and a list of what was frozen."""
    right(self, leaf, flag)
    if not flag:
        self.kept.setdefault("were frozen", []).append(leaf)


def thawed_without_hooks(self: Any, leaf: Any, flag: bool) -> None:
    """A leaf that is said to need a gradient begins anew, without its hooks."""
    right(self, leaf, flag)
    if flag:
        leaf.edge = (Accumulation(leaf), 0)


MUTANTS: tuple[Mutant, ...] = (
    behaviour("nothing-is-frozen", "A leaf that is frozen gets its gradient all the same.",
        ("contract/C4/frozen", "contract/C4/frozen-stored", "capability/freezing"), needs_gradient=nothing_is_frozen),
    behaviour("frozen-is-cleared", "The stored gradient of a leaf is lost when it is frozen.",
        ("contract/C4/frozen-stored", "contract/C4/thawed"), needs_gradient=stored_is_cleared),
    behaviour("frozen-for-good", "A leaf that was frozen once stays so.", ("contract/C4/thawed",), needs_gradient=frozen_for_good),
    behaviour("thawed-starts-anew", "The first gradient after a leaf is thawed replaces the stored one.",
        ("contract/C4/thawed",), base=StoredAnew),
    behaviour("frozen-in-old-graphs", "A leaf that is frozen after a graph was recorded gets half of its gradient.",
        ("contract/C4/frozen-between",), base=FrozenInOldGraphs),
    behaviour("thawed-for-new-graphs", "A leaf that was frozen and thawed gets nothing from graphs that were recorded before.",
        ("contract/C4/frozen-and-thawed-between",), base=ThawedForNewGraphs),
    behaviour("needed-again-without-hooks", "A leaf that is said to need a gradient, though it does already, loses its hooks.",
        ("contract/C4/needed-already",), needs_gradient=thawed_without_hooks),
    behaviour("frozen-result", "A result that is frozen loses its history.", ("contract/C4/frozen-result",), needs_gradient=results_are_cut),
    behaviour("result-not-frozen", "A result that is frozen keeps its history, and nothing says so.",
        ("contract/C4/frozen-result",), needs_gradient=results_stay),
    behaviour("refused-and-cut", "A result that is refused to be frozen has lost its history.",
        ("contract/C4/frozen-result",), needs_gradient=refused_and_cut),
    behaviour("constant-stays-constant", "A constant does not become a leaf.", ("contract/C4/constant-thawed",), needs_gradient=constants_stay),
    behaviour("frozen-is-not-written", "A leaf that is frozen refuses writes, though constants take them.",
        ("contract/C4/frozen-written",), needs_gradient=noting_frozen, assign=written_as_before),
)  # fmt: skip
