"""Loops and branches by TensorFlow's own functions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import tensorflow as tf

from conformance.backend import Function
from conformance.errors import Unsupported


class TensorflowFlow:
    """tf.scan, tf.while_loop and tf.cond."""

    def scan(self, step: Function, carry: Any, items: Any) -> tuple[Any, Any]:
        """tf.scan, which stacks every carry beside the outputs: the last of them is the last."""
        if not items.shape[0]:
            raise Unsupported("tf.scan stacks the carries, of which there is none without items")
        result: tuple[Any, Any] = scanned(step, carry, items)
        return result

    def while_loop(self, condition: Function, step: Function, carry: Any) -> Any:
        """tf.while_loop of one variable, which may be a structure."""
        return tf.while_loop(condition, lambda state: [step(state)], [carry])[0]

    def branch(self, condition: Any, then: Function, otherwise: Function, operands: Sequence[Any]) -> Any:
        """tf.cond, whose functions capture their operands."""
        return tf.cond(condition, lambda: then(*operands), lambda: otherwise(*operands))


def scanned(step: Any, carry: Any, items: Any) -> Any:
    """tf.scan, whose first value says of which shape an output is."""
    _, like = step(carry, tf.zeros_like(items[0]))
    carries, outputs = tf.scan(lambda state, x: step(state[0], x), items, (carry, tf.zeros_like(like)))
    return tf.nest.map_structure(lambda stacked: stacked[-1], carries), outputs
