"""TensorFlow: erf of a huge float64 number, and of infinity, is NaN, where its square overflows."""

import tensorflow as tf

for value in (1e10, -1e160, 1.7e272, float("inf")):
    print(
        f"erf({value}): got {tf.math.erf(tf.constant(value, tf.float64)).numpy()}, expected {1.0 if value > 0 else -1.0}"
    )
