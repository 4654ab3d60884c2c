"""TensorFlow: cumulative_logsumexp leaves a NaN out, so that numbers stand where no sum is known."""

import tensorflow as tf

NAN = float("nan")
for values, expected in (([NAN, 1.0, 2.0], "[nan nan nan]"), ([1.0, NAN, 2.0], "[1. nan nan]")):
    print(f"{values}: got {tf.math.cumulative_logsumexp(tf.constant(values)).numpy()}, expected {expected}")
