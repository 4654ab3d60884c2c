"""TensorFlow: the gradient of bessel_i1 at 0 is 1, where it is 0.5; so the second derivative of bessel_i0 is wrong there."""

import tensorflow as tf

x = tf.constant([0.0, 1e-8])
with tf.GradientTape() as outer:
    outer.watch(x)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.math.bessel_i0(x)
    slope = tape.gradient(y, x)
print("second derivative of bessel_i0: got", outer.gradient(slope, x).numpy(), "expected [0.5 0.5]")
with tf.GradientTape() as tape:
    tape.watch(x)
    y = tf.math.bessel_i1(x)
print("bessel_i1: got", tape.gradient(y, x).numpy(), "expected [0.5 0.5]")
