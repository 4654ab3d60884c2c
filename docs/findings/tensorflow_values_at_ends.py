"""TensorFlow: special functions are NaN at infinity, or at zero, where they have a limit."""

import tensorflow as tf

inf, zero = tf.constant(float("inf"), tf.float64), tf.constant(0.0, tf.float64)
three_halves = tf.constant(1.5, tf.float64)
for name, value, limit in (
    ("i0(inf)", tf.math.bessel_i0(inf), "inf"),
    ("i1(inf)", tf.math.bessel_i1(inf), "inf"),
    ("zeta(1.5, 0)", tf.math.zeta(three_halves, zero), "inf"),
):
    print(f"{name}:", float(value), "limit:", limit)
