"""TensorFlow: bessel_j0 and bessel_j1 of infinity are NaN, where they end at 0."""

import tensorflow as tf

for name in ("bessel_j0", "bessel_j1"):
    for dtype in ("float64", "float32"):
        got = [getattr(tf.math.special, name)(tf.constant(x, dtype)).numpy() for x in (1e10, float("inf"))]
        print(f"{name} in {dtype}: at 1e10 {got[0]}, at infinity {got[1]}, expected 0.0")
