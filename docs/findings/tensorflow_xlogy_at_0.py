"""TensorFlow: the gradient of x log y with respect to x is 0 at x = 0, where it is log y."""

import tensorflow as tf

x, y = tf.constant([0.0, 1.0]), tf.constant([2.0, 2.0])
with tf.GradientTape() as tape:
    tape.watch(x)
    z = tf.math.xlogy(x, y)
print("got", tape.gradient(z, x).numpy(), "expected [0.6931472 0.6931472]")
