"""TensorFlow: tnp.cbrt is a power of a third that is rounded: far from 1 dozens of units in the last place are wrong."""

import tensorflow as tf
import tensorflow.experimental.numpy as tnp

for root in (3.0, 2.0**60, 2.0**300):
    got = tnp.cbrt(tf.constant(root**3, tf.float64)).numpy()
    print(
        f"the cube root of {root**3}: got {got!r}, expected {root!r}, relative error {abs(got / root - 1):.1e}"
    )
