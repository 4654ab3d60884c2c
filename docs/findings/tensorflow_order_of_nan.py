"""TensorFlow: a NaN is compared as any number: segment_max and segment_min leave it out, sort and top_k put it anywhere."""

import tensorflow as tf

x = tf.constant([float("nan"), 0.5, 1.0, 0.25], tf.float64)
print(
    "segment_max, two to a segment:",
    tf.math.unsorted_segment_max(x, [0, 0, 1, 1], 2).numpy(),
    "expected [nan 1.]",
)
print(
    "segment_min, two to a segment:",
    tf.math.unsorted_segment_min(x, [0, 0, 1, 1], 2).numpy(),
    "expected [nan 0.25]",
)
print("sort:", tf.sort(x).numpy(), "expected [0.25 0.5 1. nan], as NumPy sorts")
print(
    "top_k, the largest one:",
    tf.math.top_k(x, 1).values.numpy(),
    "where reduce_max is",
    tf.reduce_max(x).numpy(),
)
