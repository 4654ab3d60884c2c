"""Mutants whose gradients depend on earlier calls."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from conformance.backend import Backend, NDArray, Trace
from conformance.ops import CATALOGUE
from conformance_backends import numpy_engine as engine
from conformance_backends.mutants.mutant import Mutant, SteppedTape, behaviour, stateful_rule, with_ops
from conformance_backends.numpy_backend import NumpyTape
from conformance_backends.numpy_engine.seeds import seed
from conformance_backends.numpy_engine.tensor import Tensor


def off_at_every_seventh_call() -> Callable[..., Any]:
    """One unit in the last place, every seventh time."""
    calls = 0

    def altered(right: Any, i: int, g: Any, z: Any, *xs: Any, **p: Any) -> Any:
        nonlocal calls
        calls += 1
        pulled = right(i, g, z, *xs, **p)
        return np.nextafter(pulled, np.inf) if calls % 7 == 0 else pulled

    return altered


def higher_after_another_shape() -> Callable[..., Any]:
    """A thousandth larger after a call with a second shape."""
    shapes: set[Any] = set()

    def altered(right: Any, i: int, g: Any, z: Any, x: Any) -> Any:
        shapes.add(np.shape(x))
        pulled = right(i, g, z, x)
        return pulled if len(shapes) == 1 else pulled * pulled.dtype.type(1 + 2.0**-10)

    return altered


def saved_by_shape() -> Backend:
    """tanh saves one value per shape and dtype, which the next call overwrites."""
    right, saved = CATALOGUE["tanh"], {}

    def reference(x: Any) -> Any:
        saved[np.shape(x), x.dtype.name] = np.tanh(x)
        return np.tanh(x)

    def late(index: int, g: Any, z: Any, x: Any) -> Any:
        return right.rule(index, g, saved[np.shape(x), x.dtype.name], x)

    row = replace(right, reference=reference, rule=late)
    return with_ops({"tanh": lambda x: engine.apply(row, (x,), {})})


def doubled_after_a_bad_seed(self: Any, output: Tensor, gradient: Any) -> Any:
    """After a refused cotangent all later ones are doubled."""
    try:
        fitting = seed(output, gradient).value
    except ValueError:
        self.kept["refused"] = True
        raise
    return fitting * 2 if self.kept.get("refused") else fitting


def doubled_after_an_interruption(
    self: Any, function: Any, operands: Sequence[NDArray], wrt: Sequence[int] | None = None
) -> Trace:
    """After an exception in a forward pass all gradients are doubled."""
    try:
        traced = SteppedTape.trace(self, function, operands, wrt)
    except Exception:
        self.kept["interrupted"] = True
        raise
    if not self.kept.get("interrupted"):
        return traced
    return Trace(traced.arrays, traced.outputs, lambda g: tuple(2 * x for x in traced.pull(g)))


def known_by_its_operand() -> Backend:
    """tanh of an array that it was given last is the array that it made of it."""
    known: dict[str, Any] = {}

    def call(x: Any) -> Any:
        if known.get("operand") is not x:
            known.update(operand=x, output=SteppedTape.ops["tanh"](x))
        return known["output"]

    return with_ops({"tanh": call}, SteppedTape)


def squares_are_products() -> Backend:
    """A graph is known by the shapes of its operands, and not by whether they are one array."""
    right = NumpyTape.ops["multiply"]
    squared: set[Any] = set()

    def multiply(x: Any, y: Any) -> Any:
        shapes = np.shape(x), np.shape(y)
        if x is y:
            squared.add(shapes)
        return right(x, x if shapes in squared else y)

    return with_ops({"multiply": multiply})


def axes_of_one_hash() -> Backend:
    """A sum is known by its shape and the hash of its axis."""
    right = NumpyTape.ops["sum"]
    known: dict[Any, Any] = {}

    def total(x: Any, *, axis: Any, keepdims: Any) -> Any:
        first = known.setdefault((np.shape(x), hash(axis), keepdims), axis)
        return right(x, axis=first, keepdims=keepdims)

    return with_ops({"sum": total})


def long_indices_are_one() -> Backend:
    """Indices are known by how NumPy writes them, which leaves out the middle of a thousand."""
    known: dict[tuple[int, str], tuple[Any, Any]] = {}

    def call(x: Any, indices: Any, axis: Any) -> Any:
        key = id(x), f"{np.asarray(indices)!r} {axis}"
        if key not in known:
            known[key] = x, SteppedTape.ops["take"](x, indices=indices, axis=axis)
        return known[key][1]

    return with_ops({"take": call}, SteppedTape)


def casts_are_one() -> Backend:
    """Of an array that is cast to two dtypes there is one result, the first."""
    known: dict[int, tuple[Any, Any]] = {}

    def call(x: Any, dtype: Any) -> Any:
        return known.setdefault(id(x), (x, SteppedTape.ops["astype"](x, dtype=dtype)))[1]

    return with_ops({"astype": call}, SteppedTape)


def cast_once_for_an_address(self: Any, output: Tensor, gradient: Any) -> Any:
    """A cotangent of another dtype is cast once for the address of its array."""
    fitting = seed(output, gradient).value
    if gradient is None or gradient.value.dtype == output.value.dtype:
        return fitting
    return self.kept.setdefault((id(gradient), output.shape, output.value.dtype), fitting)


def known_by_its_number(self: Any, value: NDArray) -> Any:
    """A constant without axes is the one that was made of that number first, of whatever dtype."""
    made = SteppedTape.array(self, value)
    return made if np.ndim(value) else self.kept.setdefault(float(value), made)


def equal_numbers_are_one() -> Backend:
    """A number that an array is divided by is the first one that was equal to it."""
    known: dict[float, float] = {}
    right = NumpyTape.ops["divide"]
    return with_ops({"divide": lambda x, y: right(x, known.setdefault(y, y) if isinstance(y, float) else y)})


def equal_indices_are_one() -> Backend:
    """An index is the first one that was equal to it."""
    known: dict[Any, Any] = {}
    right = NumpyTape.ops["getitem"]

    def call(x: Any, index: Any) -> Any:
        is_one = all(isinstance(part, int) for part in index)
        return right(x, index=known.setdefault(index, index) if is_one else index)

    return with_ops({"getitem": call})


HISTORY = "contract/E18/{}".format

MUTANTS: tuple[Mutant, ...] = (
    stateful_rule("every-seventh-call", "Every seventh gradient is off by one unit in the last place.",
        ("op/repeatable",), ("tanh",), off_at_every_seventh_call),
    stateful_rule("another-shape-changes-all", "After a call with another shape the gradient of exp is a thousandth larger.",
        (HISTORY("unrelated-work"), HISTORY("work-in-between")), ("exp",), higher_after_another_shape),
    Mutant("saved-value-overwritten", "What tanh saves for its backward is overwritten by its next call.",
        (HISTORY("work-in-between"),), saved_by_shape, ("tanh",)),
    behaviour("bad-seed-doubles-later-ones", "After a cotangent of the wrong shape all cotangents are doubled.",
        (HISTORY("earlier-failures"),), seed=doubled_after_a_bad_seed),
    behaviour("interruption-doubles-later-ones", "After an exception in a forward pass gradients are doubled.",
        (HISTORY("earlier-failures"),), trace=doubled_after_an_interruption),
    Mutant("known-by-its-operand", "tanh of the array that it had last is what it was then, whatever was written into it.",
        (HISTORY("operand-written"),), known_by_its_operand, ("tanh",)),
    Mutant("equal-numbers-are-one", "An array that is divided by -0.0 is divided by 0.0 where that came before.",
        (HISTORY("alike"),), equal_numbers_are_one, ("divide",)),
    Mutant("equal-indices-are-one", "The index True is 1 where that came before.",
        (HISTORY("alike"),), equal_indices_are_one, ("getitem",)),
    Mutant("squares-are-products", "Arrays of shapes whose square was computed before are squared where they are multiplied.",
        (HISTORY("graphs-alike"),), squares_are_products, ("multiply",)),
    Mutant("axes-of-one-hash", "Sums over axes of one hash, such as -1 and -2, are taken for one.",
        (HISTORY("graphs-alike"),), axes_of_one_hash, ("sum",)),
    Mutant("long-indices-are-one", "Lists of indices that differ in the middle alone are taken for one.",
        (HISTORY("alike-in-one-graph"),), long_indices_are_one, ("take",)),
    Mutant("casts-are-one", "Casts of one array to two dtypes are taken for one.",
        (HISTORY("alike-in-one-graph"),), casts_are_one, ("astype",)),
    behaviour("known-by-its-number", "A constant without axes has the dtype of the first one of its number.",
        (HISTORY("equal-numbers"),), array=known_by_its_number),
    behaviour("cast-once-for-an-address", "A cotangent of another dtype is taken for the one that lay where it lies.",
        (HISTORY("freed-arrays"),), seed=cast_once_for_an_address),
)  # fmt: skip
