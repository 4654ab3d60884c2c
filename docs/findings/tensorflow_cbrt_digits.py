"""TensorFlow: tnp.cbrt and tf.norm are powers of 1/3 and 1/p, which are rounded: far from 1 dozens of units in the last place are wrong."""

import tensorflow as tf
import tensorflow.experimental.numpy as tnp

for root in (3.0, 2.0**60, 2.0**300):
    got = tnp.cbrt(tf.constant(root**3, tf.float64)).numpy()
    print(
        f"the cube root of {root**3}: got {got!r}, expected {root!r}, relative error {abs(got / root - 1):.1e}"
    )
for scale in (1e10, 1e77):
    x = tf.constant([3 * scale, 1.0], tf.float64)
    with tf.GradientTape() as tape:
        tape.watch(x)
        norm = tf.norm(x, 2.5)
    error, slope = norm.numpy() / (3 * scale) - 1, tape.gradient(norm, x).numpy()[0]
    print(
        f"the norm of order 2.5 of 3 · {scale:g} and 1: relative error {error:.1e}, gradient {slope!r}, expected 1.0"
    )
