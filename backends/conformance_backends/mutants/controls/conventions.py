"""Controls that follow, and declare, other conventions than the reference engine, as the clauses leave them open."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from conformance.backend import as_tuple
from conformance.ops import ALL_OPS
from conformance_backends.mutants.mutant import SteppedTape, WithTransforms
from conformance_backends.numpy_engine.seeds import seed
from conformance_backends.numpy_engine.tensor import Tensor, edge_of


class ZerosForNone(WithTransforms):
    """An array of zeros in place of every gradient that is None."""

    conventions: ClassVar[Mapping[str, str]] = {**WithTransforms.conventions, "A13": "zeros"}

    def vjp(
        self, function: Any, operands: Any, cotangents: Any, wrt: Any = None
    ) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
        """Zeros in place of None."""
        outputs, gradients = super().vjp(function, operands, cotangents, wrt)
        return outputs, self._filled(gradients, operands, wrt)

    def gradient(self, function: Any, operands: Any) -> tuple[Any, ...]:
        """Zeros in place of None."""
        return self._filled(super().gradient(function, operands), operands, None)

    @staticmethod
    def _filled(gradients: Sequence[Any], operands: Sequence[Any], wrt: Any) -> tuple[Any, ...]:
        asked = range(len(operands)) if wrt is None else wrt
        zeros = [np.zeros_like(operands[i]) for i in asked]
        return tuple(z if g is None else g for g, z in zip(gradients, zeros, strict=True))


class Lenient(ZerosForNone):
    """Fills in what is missing, seeds of ones and broadcast gradients too."""

    conventions: ClassVar[Mapping[str, str]] = {
        **ZerosForNone.conventions,
        "A2": "summed",
        "A3": "seeded",
        "A4": "broadcast",
        "A14": "zeros",
        "B4": "updated",
        "C3": "copies",
    }

    def seed(self, output: Tensor, gradient: Any) -> Any:
        """Ones where no gradient is given; one that fits is broadcast to the output."""
        if gradient is None and output.dtype.kind == "c":
            return super().seed(output, None)  # which refuses it
        given = np.ones(output.shape, output.dtype) if gradient is None else np.asarray(_value(gradient))
        return seed(output, Tensor(np.array(np.broadcast_to(given, output.shape)))).value

    def backward(self, output: Any, gradient: Any = None, *, retain: bool = False) -> None:
        """An output that depends on nothing sends nothing back."""
        if edge_of(output) is not None:
            super().backward(output, gradient, retain=retain)

    def accumulate(self, leaf: Tensor, arrived: Any) -> None:
        """Into the memory of the gradient that is stored already."""
        if leaf.grad is None:
            leaf.grad = np.array(arrived, dtype=leaf.dtype)
        else:
            leaf.grad[...] += arrived

    def detach(self, array: Any) -> Tensor:
        """A copy."""
        return Tensor(np.array(array.value))


class Strict(SteppedTape):
    """Refuses what it can: cotangents of another dtype, the gradient of no leaf, writes into constants."""

    conventions: ClassVar[Mapping[str, str]] = {
        **SteppedTape.conventions,
        "A5": "refused",
        "D11": "refused",
        "B8": "refused",
    }

    def seed(self, output: Tensor, gradient: Any) -> Any:
        """Of the output's dtype alone."""
        if gradient is not None and np.asarray(_value(gradient)).dtype != output.dtype:
            raise TypeError(f"the gradient of a {output.dtype} output must be of that dtype")
        return super().seed(output, gradient)

    def grad(self, leaf: Any) -> Any:
        """Of a leaf alone."""
        if not leaf.is_leaf:
            raise ValueError("only a leaf holds a gradient")
        return super().grad(leaf)

    def assign(self, array: Any, index: Any, value: Any) -> None:
        """A recorded value is not written into a constant."""
        if edge_of(array) is None and edge_of(value) is not None:
            raise ValueError("a constant cannot depend on a recorded value")
        super().assign(array, index, value)


class OneDtype(SteppedTape):
    """Computes with operands of one dtype alone: it promotes none, as XLA, TensorFlow and Rust's libraries do not."""

    def __init__(self) -> None:
        super().__init__()
        promoting = {name for name, op in ALL_OPS.items() if isinstance(op.reference, np.ufunc)}
        self.ops = {  # type: ignore[misc]  # this backend's alone
            name: _of_one_dtype(op) if name in promoting and name not in TRUTH else op
            for name, op in type(self).ops.items()
        }

    def custom(self, forward: Any, backward: Any) -> Any:
        """A rule whose arrays promote nothing either."""
        return super().custom(_on_unmixed(forward), _on_unmixed(backward))


TRUTH = frozenset(
    {"logical_and", "logical_or", "logical_xor"}
)  # what is true of one dtype is true of another


def _of_one_dtype(op: Any) -> Any:
    def unmixed(*operands: Any, **parameters: Any) -> Any:
        _refuse_mixed(operands)
        return op(*operands, **parameters)

    return unmixed


def _refuse_mixed(operands: Sequence[Any]) -> None:
    dtypes = {x.dtype for x in operands if isinstance(x, (Tensor, np.ndarray))}
    if len(dtypes) > 1:
        raise TypeError(f"operands of {' and '.join(sorted(map(str, dtypes)))}")


class Unmixed(np.ndarray[Any, Any]):
    """An array that is not combined with one of another dtype."""

    def __array_ufunc__(self, ufunc: Any, method: str, *operands: Any, **keywords: Any) -> Any:
        _refuse_mixed(operands)
        plain = [x.view(np.ndarray) if isinstance(x, Unmixed) else x for x in operands]
        return getattr(ufunc, method)(*plain, **keywords)


def _on_unmixed(function: Any) -> Any:
    def of_unmixed(*operands: Any) -> Any:
        return function(*(x.view(Unmixed) if isinstance(x, np.ndarray) else x for x in operands))

    return of_unmixed


MOST_AXES = 9


class FewAxes(SteppedTape):
    """Has arrays of up to nine axes, as many engines do."""

    def op(self, name: str) -> Any:
        """The op, of an answer with few axes."""
        op = super().op(name)

        def checked(*operands: Any, **parameters: Any) -> Any:
            answer = op(*operands, **parameters)
            most = max(np.ndim(z) for z in as_tuple(answer))
            if most > MOST_AXES:
                raise ValueError(f"{most} axes, where there are at most {MOST_AXES}")
            return answer

        return checked


class ForgettingWrites(SteppedTape):
    """A constant stays one, whatever is written into it."""

    conventions: ClassVar[Mapping[str, str]] = {**SteppedTape.conventions, "D11": "constant"}

    def assign(self, array: Any, index: Any, value: Any) -> None:
        """The value alone where the array is a constant."""
        super().assign(array, index, value.detach() if edge_of(array) is None else value)


class Replacing(SteppedTape):
    """Overwrites the stored gradient, in its memory, and keeps one that a pass does not reach."""

    conventions: ClassVar[Mapping[str, str]] = {
        **SteppedTape.conventions,
        "B3": "replaces",
        "B4": "updated",
    }

    def accumulate(self, leaf: Tensor, arrived: Any) -> None:
        """Into the gradient that is there."""
        if leaf.grad is None:
            leaf.grad = np.array(arrived, dtype=leaf.dtype)
        else:
            leaf.grad[...] = arrived


class OddMemory(SteppedTape):
    """Hands out copies only, which lie in memory backwards and in another order."""

    conventions: ClassVar[Mapping[str, str]] = {**SteppedTape.conventions, "C3": "copies"}

    def vjp(
        self, function: Any, operands: Any, cotangents: Any, wrt: Any = None
    ) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
        """Of copies of operands and cotangents, gradients backwards in memory."""
        outputs, gradients = super().vjp(
            function, list(map(backwards, operands)), list(map(backwards, cotangents)), wrt
        )
        return tuple(map(_copied, outputs)), tuple(None if g is None else backwards(g) for g in gradients)

    def forward(self, function: Callable[..., Any], operands: Any) -> tuple[Any, ...]:
        """Copies of the outputs."""
        return tuple(map(_copied, as_tuple(super().forward(function, list(map(backwards, operands))))))

    def detach(self, array: Any) -> Tensor:
        """A copy."""
        return _copied(array.detach())

    def numpy(self, array: Any) -> np.ndarray[Any, Any]:
        """A copy, backwards in memory and read-only."""
        copy = backwards(super().numpy(array))
        copy.flags.writeable = False
        return copy

    def memory(self, array: Any) -> np.ndarray[Any, Any]:
        """The array's own."""
        return super().numpy(array)


def backwards(array: Any) -> np.ndarray[Any, Any]:
    """The same numbers in fresh memory, every axis from its end, the last axis slowest."""
    value = np.asarray(array)
    flipped = np.array(np.flip(value), order="F", copy=True)
    return np.asarray(np.flip(flipped))


def _copied(array: Tensor) -> Tensor:
    copy = Tensor(backwards(array.value))
    copy.edge = array.edge
    return copy


def _value(given: Any) -> Any:
    return given.value if isinstance(given, Tensor) else given
