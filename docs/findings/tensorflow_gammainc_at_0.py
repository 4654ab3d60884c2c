"""TensorFlow: the gradient of igamma and igammac of order 1, 1 - exp(-x) and exp(-x), is NaN at 0."""

import tensorflow as tf

for name, expected in (("igamma", 1), ("igammac", -1)):
    for value in (0.0, 1e-30):
        x = tf.constant(value)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = getattr(tf.math, name)(tf.constant(1.0), x)
        print(f"{name}(1, {value}): gradient {tape.gradient(y, x).numpy()}, expected {expected}")
