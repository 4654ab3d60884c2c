"""TensorFlow: the second derivative of bessel_j1 is a difference of reciprocals: near 0 it is noise, at 0 NaN."""

import tensorflow as tf

for value in (1e-3, 1e-8, 1e-12, 0.0):
    x = tf.constant(value, tf.float64)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.math.special.bessel_j1(x)
        slope = tape.gradient(y, x)
    print(f"at {value}: got {outer.gradient(slope, x).numpy():.4g}, expected about {-3 * value / 8:.4g}")
