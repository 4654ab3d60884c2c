"""The optional methods of the backend protocol, one or a few for each capability.

Each raises `Unsupported` until it is overridden; an adapter never imitates what its engine lacks.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Any, ClassVar

from conformance.errors import Unsupported
from conformance.trace import Function, GraphNode, NDArray


class Offers:
    """What an engine may offer beyond gradients; the capabilities say which methods are called."""

    engine: ClassVar[str]

    # ---- arrays, scopes, custom rules ------------------------------------------------------------

    def memory(self, array: Any) -> NDArray:
        """The memory of one of the engine's arrays, as a writable numpy.ndarray of its shape and dtype."""
        raise Unsupported(f"arrays of {self.engine} are immutable")

    def needs_gradient(self, leaf: Any, flag: bool) -> None:
        """From now on a leaf needs a gradient, or needs none; raises what the engine raises where it refuses that."""
        raise Unsupported(f"a leaf of {self.engine} needs a gradient as long as it lives")

    def no_grad(self) -> AbstractContextManager[Any]:
        """A scope in which nothing is recorded."""
        raise Unsupported(f"{self.engine} has no no_grad scope")

    def detach(self, array: Any) -> Any:
        """The same value as a constant, through which no gradient flows."""
        raise Unsupported(f"{self.engine} does not detach values")

    def custom(self, forward: Function, backward: Function) -> Function:
        """An op with a custom rule.

        `forward(*operands)` returns the output, `backward(g, *operands)` a tuple of one cotangent per operand, None for
        zero. Both receive the arrays that the engine passes to custom rules, and use only `+ - * @` and `.T`.
        """
        raise Unsupported(f"{self.engine} has no custom rules")

    def custom_by_operand(self, forward: Function, backward: Function) -> Function:
        """An op of one or several outputs: `backward(i, cotangents, operands, outputs)` is the cotangent of operand i.

        An output that is not used has a cotangent of zeros. Called for operands that need a gradient, where known.
        """
        raise Unsupported(f"{self.engine} has no custom rules for each operand")

    def custom_forward(self, forward: Function, pushforward: Function) -> Function:
        """An op whose rule is that of forward mode: `pushforward(operands, tangents)` is the tangent of each output.

        Both are tuples; the tangent of a constant is zeros.
        """
        raise Unsupported(f"{self.engine} has no custom rules of forward mode")

    def graph(self, output: Any) -> GraphNode:
        """The node of the op that made `output`."""
        raise Unsupported(f"{self.engine} does not show its graph")

    # ---- higher order, forward mode ------------------------------------------------------------------

    def nested_vjp(
        self, function: Function, arrays: Sequence[Any], cotangents: Sequence[Any]
    ) -> tuple[Any, ...]:
        """The gradients of `function` with respect to every array, recorded for another gradient.

        `arrays` and `cotangents`, one per output, are the engine's arrays. May be called inside a function that
        is differentiated, where the result depends on both. Changes no stored gradient.
        """
        raise Unsupported(f"{self.engine} does not differentiate its gradients")

    def jvp(
        self, function: Function, operands: Sequence[NDArray], tangents: Sequence[NDArray]
    ) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
        """The outputs, and their tangents along `tangents`, one per operand; None where the engine gives none."""
        raise Unsupported(f"{self.engine} has no forward mode")

    def nested_jvp(
        self, function: Function, arrays: Sequence[Any], tangents: Sequence[Any]
    ) -> tuple[Any, ...]:
        """The outputs' tangents, recorded: like `jvp`, on the engine's arrays inside a differentiated function."""
        raise Unsupported(f"{self.engine} does not differentiate its forward mode")

    def jacobian(self, function: Function, operands: Sequence[NDArray], kind: str = "rows") -> Sequence[Any]:
        """For each operand the Jacobian of the one output, by the engine's own function: of the output's shape, then the operand's.

        By "rows" or "columns" (forward mode); for kind "hessian" the second derivatives of a scalar, by each operand alone.
        """
        raise Unsupported(f"{self.engine} has no function for the {kind} of a Jacobian")

    def value_and_gradient(
        self,
        function: Function,
        arrays: Sequence[Any],
        wrt: int | tuple[int, ...],
        *,
        auxiliary: bool = False,
    ) -> tuple[Any, Any, Any]:
        """The value of a scalar function of the engine's arrays, its gradient, and its auxiliary results, else None.

        The gradient is one for a number, and a tuple for a tuple of them. With `auxiliary`, the function returns a pair
        of its value and a nested structure of arrays. May be called inside a function that is differentiated.
        """
        raise Unsupported(f"{self.engine} has no function for the value with the gradient")

    def gradients_within(
        self, function: Function, operands: Sequence[NDArray], cotangents: Sequence[NDArray]
    ) -> Sequence[Any]:
        """The gradients of several outputs, weighted by a cotangent each, by any arrays of their graph; None where there is none.

        `function` takes the engine's arrays of the operands' values, and returns two tuples: the outputs, and the arrays by
        which gradients are wanted, which may be operands, results on the way, or outputs.
        """
        raise Unsupported(f"{self.engine} takes gradients by operands alone")

    # ---- transforms of functions ----------------------------------------------------------------

    def compiled(self, function: Function) -> Function:
        """The function compiled; it takes the engine's arrays and is differentiated like any other."""
        raise Unsupported(f"{self.engine} does not compile")

    def vectorized(self, function: Function) -> Function:
        """The function mapped over the leading axis of every operand, its outputs stacked along that axis."""
        raise Unsupported(f"{self.engine} does not vectorize")

    def checkpoint(self, function: Function) -> Function:
        """The function, whose intermediate values the backward pass computes again instead of keeping them."""
        raise Unsupported(f"{self.engine} has no checkpoints")

    def structured_gradient(self, function: Function, structure: Any) -> Any:
        """The gradient, in the same structure, of a scalar function of nested lists, tuples and dicts of arrays."""
        raise Unsupported(f"{self.engine} does not accept structures")

    # ---- control flow of the engine's own -------------------------------------------------------

    def scan(self, step: Function, carry: Any, items: Any) -> tuple[Any, Any]:
        """The last carry, and the stacked outputs, of `step(carry, item) -> (carry, output)` along the leading axis of `items`.

        The carry is one of the engine's arrays or a tuple of them. May be called inside a function that is
        differentiated; `step` may capture its operands.
        """
        raise Unsupported(f"{self.engine} has no loops of its own")

    def while_loop(self, condition: Function, step: Function, carry: Any) -> Any:
        """The first of `carry`, `step(carry)`, `step(step(carry))` … for which `condition` gives a 0-d False."""
        raise Unsupported(f"{self.engine} has no loops of its own whose number of steps depends on values")

    def branch(self, condition: Any, then: Function, otherwise: Function, operands: Sequence[Any]) -> Any:
        """What `then` returns of the operands, or `otherwise` where `condition`, a 0-d array of the engine, is False."""
        raise Unsupported(f"{self.engine} has no branches of its own")

    def noise(self, like: Any) -> Any:
        """Zeros and ones of equal probability, drawn anew at each call: a constant of the shape and dtype of `like`."""
        raise Unsupported(f"{self.engine} draws no random numbers without a key")

    def dropout(self, x: Any, rate: float) -> Any:
        """`x` with entries set to zero with the probability `rate`, anew at each call, and the others divided by `1 - rate`."""
        raise Unsupported(f"{self.engine} has no dropout of its own")

    # ---- hooks, anomalies, writes ----------------------------------------------------

    def hook(self, array: Any, seen: Callable[[Any], Any]) -> Callable[[], None]:
        """Register `seen`, which backward calls with the summed cotangent of `array`; returns its remover.

        What `seen` returns replaces the cotangent, unless it is None.
        """
        raise Unsupported(f"{self.engine} has no hooks")

    def anomaly(self) -> AbstractContextManager[Any]:
        """A scope in which a NaN made by a rule raises an error that names the op of the forward pass."""
        raise Unsupported(f"{self.engine} does not detect anomalies")

    def assign(self, array: Any, index: Any, value: Any) -> None:
        """`array[index] = value`, recorded; raises what the engine raises where it refuses the write."""
        raise Unsupported(f"{self.engine} does not record writes in place")
