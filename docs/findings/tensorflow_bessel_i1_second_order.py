"""TensorFlow: the second derivatives of bessel_i1 and bessel_i1e are differences of reciprocals: near 0 they are noise."""

import tensorflow as tf

for name, expected in (("bessel_i1", "0"), ("bessel_i1e", "-1")):
    for value in (1e-3, 1e-8, 1e-12):
        x = tf.constant(value, tf.float64)
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = getattr(tf.math, name)(x)
            slope = tape.gradient(y, x)
        got = outer.gradient(slope, x).numpy()
        print(f"{name} at {value}: got {got:.4g}, expected about {expected}")
