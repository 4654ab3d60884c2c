"""Mutants that sum contributions wrongly, within one backward pass or over several."""

from __future__ import annotations

from typing import Any

import numpy as np

from conformance_backends.mutants.mutant import LeafCotangents, Mutant, SteppedTape, behaviour, rule
from conformance_backends.numpy_engine.graph import Edge
from conformance_backends.numpy_engine.tensor import Tensor

BLOCK = 1024  # entries


def propagate_with(join: Any, edge: Edge, cotangent: Any, passed: Any = lambda g: g) -> LeafCotangents:
    """The engine's backward pass with another `join(sum so far, contribution)`; `passed` changes each contribution."""
    arrived: dict[Edge, Any] = {edge: cotangent}
    ended = {}
    while arrived:
        node = max((node for node, _ in arrived), key=lambda node: node.number)
        count = 1 + max(i for n, i in arrived if n is node)
        cotangents = [arrived.pop((node, i), None) for i in range(count)]
        if not node.edges:
            ended[node] = cotangents
            continue
        for target, g in zip(node.edges, node.pullback(cotangents), strict=True):
            if target is not None and g is not None:
                arrived[target] = join(arrived[target], passed(g)) if target in arrived else passed(g)
    return ended


def replacing(self: Any, leaf: Tensor, arrived: Any) -> None:
    """The second gradient replaces the first."""
    leaf.grad = np.array(arrived, dtype=leaf.dtype)


def added_in_memory_order(self: Any, leaf: Tensor, arrived: Any) -> None:
    """Two arrays without gaps are added as they lie in memory."""
    fresh = np.array(arrived, dtype=leaf.dtype)
    if leaf.grad is None:
        leaf.grad = fresh
    else:
        lying = leaf.grad.ravel(order="K") + fresh.ravel(order="K")
        leaf.grad = np.reshape(lying, leaf.shape, order="F" if leaf.grad.flags.fnc else "C")


def averaging(self: Any, leaf: Tensor, arrived: Any) -> None:
    """A running mean over the calls, for two calls."""
    fresh = np.array(arrived, dtype=leaf.dtype)
    leaf.grad = fresh if leaf.grad is None else (leaf.grad + fresh) / 2


def summed_in_single_precision(self: Any, leaf: Tensor, arrived: Any) -> None:
    """The sum of two gradients in half precision is float32."""
    first = leaf.grad
    SteppedTape.accumulate(self, leaf, arrived)
    if first is not None and leaf.dtype.itemsize == 2:
        leaf.grad = np.asarray(leaf.grad, np.float32)


def not_cleared(self: Any, leaf: Any) -> None:
    """Clearing does nothing."""


def cleared_to_residue(self: Any, leaf: Any) -> None:
    """Clearing scales by almost zero."""
    leaf.grad = leaf.grad * leaf.dtype.type(1e-30)


def contiguous_alone_cleared(self: Any, leaf: Any) -> None:
    """Clearing a leaf whose memory has gaps does nothing."""
    if leaf.value.flags.forc:
        leaf.grad = None


def short_alone_cleared(self: Any, leaf: Any) -> None:
    """Clearing sets the first 1024 entries to zero."""
    leaf.grad = np.array(leaf.grad)
    leaf.grad.reshape(-1)[:1024] = 0


def hidden_until_next(self: Any, leaf: Any) -> None:
    """Clearing removes the gradient, and the next backward pass restores it."""
    hidden, leaf.grad = leaf.grad, None
    self.kept["hidden"] = leaf, hidden


def on_from_hidden(self: Any, leaf: Tensor, arrived: Any) -> None:
    """Restores the gradient that `hidden_until_next` removed."""
    owner, hidden = self.kept.pop("hidden", (None, None))
    SteppedTape.accumulate(self, leaf, arrived)
    if owner is leaf and hidden is not None:
        leaf.grad = leaf.grad + hidden


def _once(right: Any, i: int, g: Any, z: Any, x: Any, y: Any) -> Any:
    return right(i, g, z, x, y) * (0.5 if np.array_equal(x, y) else 1)


def _added_in_place(before: Any, g: Any) -> Any:
    """Large contributions are added up in the first one's memory, whoever else has it."""
    if not isinstance(before, np.ndarray) or before.nbytes < 2**16:
        return before + g
    before += g
    return before


def replaced_in_half_precision(self: Any, leaf: Tensor, arrived: Any) -> None:
    """In half precision a gradient replaces the one before."""
    if leaf.dtype.itemsize == 2:
        leaf.grad = None
    SteppedTape.accumulate(self, leaf, arrived)


def last_block_lost(self: Any, leaf: Tensor, arrived: Any) -> None:
    """Of a large gradient only whole blocks of 1 024 entries are stored."""
    fresh = np.array(arrived, dtype=leaf.dtype)
    if fresh.size > BLOCK:
        fresh.reshape(-1)[fresh.size // BLOCK * BLOCK :] = 0
    SteppedTape.accumulate(self, leaf, fresh)


def real_parts_accumulated(self: Any, leaf: Tensor, arrived: Any) -> None:
    """To a complex gradient only the real part of the next one is added."""
    SteppedTape.accumulate(self, leaf, arrived if leaf.grad is None else np.real(arrived))


def hidden_until_any_pass(self: Any, leaf: Tensor) -> None:
    """A gradient is cleared until the next backward pass, of whatever."""
    self.kept.setdefault("hidden", []).append((leaf, leaf.grad))
    leaf.grad = None


def uncovering(self: Any, output: Any, gradient: Any = None, *, retain: bool = False) -> None:
    """A backward pass, with which leaves that it does not reach have what was cleared."""
    SteppedTape.backward(self, output, gradient, retain=retain)
    for leaf, hidden in self.kept.pop("hidden", []):
        leaf.grad = hidden if leaf.grad is None else leaf.grad


MUTANTS: tuple[Mutant, ...] = (
    behaviour("last-contribution-kept", "Of the contributions to a value only the last one to arrive counts.",
        ("contract/B1/fan-out", "contract/B1/diamond", "contract/B1/repeated-operand", "example/W8/fan-out",
         "program/composition", "program/differences"),
        traverse=lambda self, edge, g: propagate_with(lambda before, g: g, edge, g)),
    behaviour("contributions-averaged", "The contributions to a value are averaged.",
        ("contract/B1/fan-out", "contract/B1/diamond"),
        traverse=lambda self, edge, g: propagate_with(lambda before, g: (before + g) / 2, edge, g)),
    behaviour("large-added-in-place", "Contributions of 64 KiB are added up in the memory of the first one.",
        ("contract/B1/shared-cotangent",), traverse=lambda self, edge, g: propagate_with(_added_in_place, edge, g)),
    behaviour("real-parts-accumulated", "To a complex gradient only the real part of the next one is added.",
        ("contract/B3/complex",), accumulate=real_parts_accumulated),
    behaviour("last-block-lost", "Of a large gradient the entries after its last whole block of 1 024 are lost.",
        ("contract/B1/shared-cotangent",), accumulate=last_block_lost),
    behaviour("equal-contributions-once", "A contribution that equals the sum so far is dropped as a duplicate.",
        ("contract/B1/repeated-operand",),
        traverse=lambda self, edge, g: propagate_with(lambda b, g: b if np.array_equal(b, g) else b + g, edge, g)),
    behaviour("second-call-replaces", "A second backward replaces the gradient, though the adapter declares accumulation.",
        ("contract/B3/two-calls", "example/W8/twice-and-cleared"), accumulate=replacing),
    behaviour("added-in-memory-order", "The gradients of two calls are added as they lie in memory.",
        ("contract/B3/layouts",), accumulate=added_in_memory_order),
    behaviour("second-call-averages", "A second backward stores the mean of both gradients.", ("contract/B3/two-calls",), accumulate=averaging),
    behaviour("declares-replacing-accumulates", "The adapter declares replacing, and gradients accumulate.",
        ("contract/B3/two-calls",), conventions={**SteppedTape.conventions, "B3": "replaces"}),
    behaviour("never-cleared", "Clearing a gradient does nothing.",
        ("contract/B13/clearing", "capability/clearing", "example/W8/twice-and-cleared"), clear=not_cleared),
    behaviour("cleared-to-residue", "A cleared gradient is almost zero.",
        ("contract/B13/clearing",), clear=cleared_to_residue),
    behaviour("half-sums-widened", "The sum of two gradients in half precision is float32.",
        ("contract/B3/narrow",), accumulate=summed_in_single_precision),
    behaviour("not-cleared-with-gaps", "Clearing does nothing for a leaf whose memory has gaps.",
        ("contract/B13/clearing",), clear=contiguous_alone_cleared),
    behaviour("cleared-at-the-beginning", "Clearing sets the first 1024 entries to zero.",
        ("contract/B13/clearing",), clear=short_alone_cleared),
    behaviour("cleared-until-any-pass", "A cleared gradient is there again after a backward pass that does not reach the leaf.",
        ("contract/B13/clearing",), clear=hidden_until_any_pass, backward=uncovering),
    behaviour("cleared-gradient-returns", "A cleared gradient comes back with the next one.",
        ("contract/B13/clearing", "example/W8/twice-and-cleared"), clear=hidden_until_next, accumulate=on_from_hidden),
    rule("repeated-operand-once", "The two operands of x * x share one contribution.",
        ("contract/B1/repeated-operand", "example/W2/square-upstream"), ("multiply",), _once),
    behaviour("replaced-in-half-precision", "In half precision a gradient replaces the stored one.",
        ("contract/B3/narrow",), accumulate=replaced_in_half_precision),
)  # fmt: skip
