"""TensorFlow: tnp.hypot is the root of two squares, which overflow, or vanish, and NaN beside infinity; so is its gradient."""

import tensorflow as tf
import tensorflow.experimental.numpy as tnp

for scale in (1.0, 2.0**70, 2.0**-80):
    x, y = tf.constant(3 * scale), tf.constant(4 * scale)
    with tf.GradientTape() as tape:
        tape.watch((x, y))
        z = tnp.hypot(x, y)
    slopes = [float(g) for g in tape.gradient(z, (x, y))]
    print(f"hypot of {3 * scale:.3g} and {4 * scale:.3g}: got {z.numpy()}, gradients {slopes};", end=" ")
    print(f"expected {5 * scale:.7g}, [0.6, 0.8]")
infinite = tnp.hypot(tf.constant(float("inf")), tf.constant(float("nan"))).numpy()
print(f"hypot of infinity and NaN: got {infinite}, expected inf, by IEEE 754 and C")
