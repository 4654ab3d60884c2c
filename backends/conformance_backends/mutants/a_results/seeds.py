"""Mutants that seed a backward pass wrongly, or accept a seed that they should refuse."""

from __future__ import annotations

import contextlib
from typing import Any

import numpy as np

from conformance_backends.mutants.mutant import LeafCotangents, Mutant, SteppedTape, behaviour
from conformance_backends.numpy_engine.graph import Accumulation, Edge
from conformance_backends.numpy_engine.seeds import seed
from conformance_backends.numpy_engine.tensor import Tensor


def leaves_are_no_outputs(self: Any, output: Any, gradient: Any = None, *, retain: bool = False) -> None:
    """A leaf that is its own output stays without a gradient."""
    if not output.is_leaf:
        SteppedTape.backward(self, output, gradient)


def leaves_are_refused(self: Any, output: Any, gradient: Any = None, *, retain: bool = False) -> None:
    """A 0-d leaf that is its own output has no seed."""
    if output.is_leaf and gradient is None:
        raise RuntimeError("a leaf has no history")
    SteppedTape.backward(self, output, gradient)


def seeded(output: Tensor, gradient: Any, implicit: float) -> Any:
    """The seed, where one that is not given is `implicit` everywhere."""
    if gradient is None:
        return np.full(output.shape, implicit, output.dtype)
    return seed(output, gradient).value


def two(self: Any, output: Tensor, gradient: Any) -> Any:
    """A scalar is seeded with 2."""
    return seed(output, gradient).value if output.ndim or gradient is not None else seeded(output, None, 2.0)


def ones_for_any(self: Any, output: Tensor, gradient: Any) -> Any:
    """A non-scalar is summed silently."""
    return seed(output, gradient).value if output.size == 1 else seeded(output, gradient, 1.0)


def mean_for_any(self: Any, output: Tensor, gradient: Any) -> Any:
    """A non-scalar is averaged silently."""
    return (
        seed(output, gradient).value
        if output.size == 1
        else seeded(output, gradient, 1 / max(output.size, 1))
    )


def ones_for_size_one(self: Any, output: Tensor, gradient: Any) -> Any:
    """An output of one entry is seeded whatever its axes."""
    return seeded(output, gradient, 1.0) if output.size == 1 else seed(output, gradient).value


def fitted(output: Tensor, gradient: Any, fit: Any) -> Any:
    """A given gradient changed by `fit`, where that works."""
    if gradient is None or gradient.shape == output.shape:
        return seed(output, gradient).value
    with contextlib.suppress(ValueError):
        return np.array(fit(gradient.value), output.dtype)
    return seed(output, gradient).value


def broadcast_to_output(self: Any, output: Tensor, gradient: Any) -> Any:
    """A gradient argument that broadcasts is broadcast."""
    return fitted(output, gradient, lambda g: np.broadcast_to(g, output.shape))


def squeezed_to_output(self: Any, output: Tensor, gradient: Any) -> Any:
    """Leading axes of size 1 are dropped."""
    return fitted(
        output, gradient, lambda g: g.reshape(output.shape) if g.ndim > output.ndim else seed(output, g)
    )


def reshaped_to_output(self: Any, output: Tensor, gradient: Any) -> Any:
    """A gradient argument with as many entries is reshaped."""
    return fitted(
        output, gradient, lambda g: g.reshape(output.shape) if g.ndim <= output.ndim else seed(output, g)
    )


def passed_unchanged(self: Any, output: Tensor, gradient: Any) -> Any:
    """Rules receive the gradient argument unchanged, so only rules that multiply broadcast it."""
    return seed(output, gradient).value if gradient is None else gradient.value


def one_entry_for_0_d(self: Any, output: Tensor, gradient: Any) -> Any:
    """One entry is enough for a 0-d output, whatever its axes."""
    return seed(output, gradient).value if output.ndim else fitted(output, gradient, lambda g: g.reshape(()))


def any_for_empty(self: Any, output: Tensor, gradient: Any) -> Any:
    """An output without entries takes any gradient argument."""
    if output.size:
        return seed(output, gradient).value
    return fitted(output, gradient, lambda g: np.zeros(output.shape))


def broadcast_to_empty(self: Any, output: Tensor, gradient: Any) -> Any:
    """A gradient argument that broadcasts to an output without entries is broadcast."""
    if output.size:
        return seed(output, gradient).value
    return fitted(output, gradient, lambda g: np.broadcast_to(g, output.shape))


def kept_at_the_leaf(self: Any, leaf: Tensor, arrived: Any) -> None:
    """The first that arrives at a leaf is kept as it is."""
    if leaf.grad is None:
        leaf.grad = np.asarray(arrived)
    else:
        SteppedTape.accumulate(self, leaf, arrived)


def views_taken_for_the_leaf(self: Any, edge: Edge, cotangent: Any) -> LeafCotangents:
    """A reshape, permutation or index of a leaf is skipped: the leaf receives the cotangent's entries in their order."""
    node = edge[0]
    if node.name in ("reshape", "permute_dims", "getitem") and isinstance(node.inputs[0], Accumulation):
        leaf = node.inputs[0].variable
        if leaf.size == np.size(cotangent):
            return {node.inputs[0]: [np.reshape(cotangent, leaf.shape)]}
    return SteppedTape.traverse(self, edge, cotangent)


def seeded_in_another_precision(self: Any, output: Any, gradient: Any) -> Any:
    """The default seed is a number of the other precision."""
    given = SteppedTape.seed(self, output, gradient)
    other = {"float64": "float32", "float32": "float64"}.get(given.dtype.name)
    return given.astype(other) if gradient is None and other else given


def numbers_seeded_with_one(self: Any, function: Any, arrays: Any, cotangents: Any) -> Any:
    """Where a gradient is computed as a function's values, an output that is a number is seeded with 1."""
    seeds = [cotangents[0] * 0 + 1 if cotangents[0].ndim == 0 else cotangents[0], *cotangents[1:]]
    return SteppedTape.nested_vjp(self, function, arrays, seeds)


def broadcast_as_values(self: Any, function: Any, arrays: Any, cotangents: Any) -> Any:
    """Where a gradient is computed as a function's values, its gradient argument is broadcast."""
    output = function(*arrays)
    with contextlib.suppress(ValueError, AttributeError):
        cotangents = [Tensor(np.broadcast_to(cotangents[0].value, output.shape))]
    return SteppedTape.nested_vjp(self, function, arrays, cotangents)


def seed_kept_at_the_leaf(self: Any, output: Any, gradient: Any = None, *, retain: bool = False) -> None:
    """A leaf that is its own output stores the seed as it is given."""
    if output.is_leaf and gradient is not None and gradient.dtype != output.dtype:
        output.grad = np.array(gradient.value)
    else:
        SteppedTape.backward(self, output, gradient)


MUTANTS: tuple[Mutant, ...] = (
    behaviour("leaf-output-of-the-seeds-dtype", "A leaf that is its own output has a gradient of its seed's dtype.",
        ("contract/A15/leaf-is-output",), backward=seed_kept_at_the_leaf),
    behaviour("seeded-in-another-precision", "The default seed is of another precision than the output.",
        ("contract/A1/seed-dtype",), seed=seeded_in_another_precision),
    behaviour("leaf-output-without-gradient", "A leaf that is its own output gets no gradient.",
        ("contract/A15/leaf-is-output",), backward=leaves_are_no_outputs),
    behaviour("leaf-output-refused", "backward() on a leaf is refused.",
        ("contract/A15/leaf-is-output",), backward=leaves_are_refused),
    behaviour("seeded-with-two", "A scalar output is seeded with 2.",
        ("contract/A1/scalar-seed", "example/W3/graph-of-two-steps"), seed=two),
    behaviour("summed-silently", "A non-scalar output without a gradient is summed.",
        ("contract/A2/non-scalar", "example/W1/matmul-upstream"), seed=ones_for_any),
    behaviour("averaged-silently", "A non-scalar output without a gradient is averaged.",
        ("contract/A2/non-scalar",), seed=mean_for_any),
    behaviour("declares-summing-averages", "The adapter declares summing for a non-scalar output, and the output is averaged.",
        ("contract/A2/non-scalar",), seed=mean_for_any, conventions={**SteppedTape.conventions, "A2": "summed"}),
    behaviour("one-entry-seeded", "An output of one entry is seeded, though the adapter declares refusal.",
        ("contract/A3/size-one",), seed=ones_for_size_one),
    behaviour("declares-seeding-refuses", "The adapter declares seeding for an output of one entry, and it is refused.",
        ("contract/A3/size-one",), conventions={**SteppedTape.conventions, "A3": "seeded"}),
    behaviour("gradient-reshaped", "A gradient argument with as many entries as the output is reshaped to it.",
        ("contract/A4/wrong-shape",), seed=reshaped_to_output),
    behaviour("gradient-broadcast", "A gradient argument that broadcasts is accepted, though the adapter declares refusal.",
        ("contract/A4/broadcastable-shape",), seed=broadcast_to_output),
    behaviour("gradient-squeezed", "Leading axes of size 1 of a gradient argument are dropped.",
        ("contract/A4/wrong-shape",), seed=squeezed_to_output),
    behaviour("one-entry-for-0-d", "A 0-d output accepts a gradient argument of one entry in any shape.",
        ("contract/A4/wrong-shape",), seed=one_entry_for_0_d),
    behaviour("any-gradient-for-empty-output", "An output without entries accepts any gradient argument.",
        ("contract/A4/wrong-shape", "contract/A4/broadcastable-shape"), seed=any_for_empty),
    behaviour("broadcast-to-empty-output", "A gradient argument is broadcast to an output without entries, though the adapter declares refusal.",
        ("contract/A4/broadcastable-shape",), seed=broadcast_to_empty),
    behaviour("gradient-broadcast-as-a-value", "Where a gradient is a function's value, its gradient argument is broadcast, though the adapter declares refusal.",
        ("contract/A4/as-a-value",), nested_vjp=broadcast_as_values),
    behaviour("numbers-seeded-with-one", "Where a gradient is a function's value, that of a number ignores its gradient argument.",
        ("contract/A4/as-a-value",), nested_vjp=numbers_seeded_with_one),
    behaviour("leaf-keeps-seed", "The stored gradient of a leaf that is the output is the gradient argument itself.",
        ("contract/A11/leaf-is-output",), accumulate=kept_at_the_leaf),
    behaviour("views-taken-for-leaf", "A view of a leaf passes its seed to the leaf in the order of the view.",
        ("contract/A15/view-is-output",), traverse=views_taken_for_the_leaf),
    behaviour("declares-broadcasting-refuses", "The adapter declares that a gradient argument is broadcast, and it is refused.",
        ("contract/A4/broadcastable-shape",), conventions={**SteppedTape.conventions, "A4": "broadcast"}),
    behaviour("declares-broadcasting-passes-on", "The adapter declares broadcasting, and rules receive the gradient argument unchanged.",
        ("contract/A4/broadcastable-shape", "contract/A4/wrong-shape"), seed=passed_unchanged,
        conventions={**SteppedTape.conventions, "A4": "broadcast"}),
)  # fmt: skip
