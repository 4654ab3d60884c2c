"""TensorFlow: a cotangent of NaN is neither above 0 nor below, and the gradient of cumulative_logsumexp leaves it out."""

import tensorflow as tf

x = tf.constant([1.0, 2.0, 3.0])
with tf.GradientTape() as tape:
    tape.watch(x)
    y = tf.math.cumulative_logsumexp(x)
print("got", tape.gradient(y, x, tf.constant([0.25, float("nan"), 2.5])).numpy(), "expected [nan nan 1.663]")
