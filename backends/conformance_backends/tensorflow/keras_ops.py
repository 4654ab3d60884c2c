"""Ops of TensorFlow that stand in tf.keras.ops alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import tensorflow as tf

from conformance.errors import Unsupported


def adaptive_max_pool2d(x: Any, output_size: Any) -> Any:
    """tf.keras.ops.adaptive_max_pool, which takes a batch.

    Of float32 it ends the process, or never ends (docs/findings/tensorflow_max_pool_window_longer_than_input.py).
    """
    if x.ndim != 4 or x.dtype == tf.float32:
        raise Unsupported(
            "tf.keras.ops.adaptive_max_pool takes a batch of images; that of float32 ends the process"
        )
    return tf.keras.ops.adaptive_max_pool(x, output_size, "channels_first")


# nanmedian and nanquantile are left out: they sort each row by a call of its own, and a case takes seconds.
KERAS: Mapping[str, Callable[..., Any]] = {
    "ldexp": tf.keras.ops.ldexp,
    "adaptive_max_pool2d": adaptive_max_pool2d,
}
