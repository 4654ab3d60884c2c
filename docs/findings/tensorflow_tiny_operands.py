"""TensorFlow: at tiny operands the slope of bessel_j1 is 1 and not 1/2, and that of the size of complex numbers is 0."""

import tensorflow as tf

x = tf.constant(-1.41357e-305, tf.float64)
with tf.GradientTape() as tape:
    tape.watch(x)
    y = tf.math.special.bessel_j1(x)
print(
    "bessel_j1(-1.4e-305):", float(y), "exact -7.06785e-306; slope", float(tape.gradient(y, x)), "exact 0.5"
)
a, b = tf.constant(1.46772e-156, tf.float64), tf.constant(-1.1117e-156, tf.float64)
with tf.GradientTape() as tape:
    tape.watch(a)
    y = tf.abs(tf.complex(a, b))
print("the size of 1.47e-156 - 1.11e-156 i: slope", float(tape.gradient(y, a)), "exact", 0.797145)
