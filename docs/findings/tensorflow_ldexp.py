"""TensorFlow: the gradient of tf.keras.ops.ldexp is 1 at 0 and at infinity, whatever the exponent."""

import tensorflow as tf

x = tf.constant([0.0, float("inf"), 1.0])
with tf.GradientTape() as tape:
    tape.watch(x)
    y = tf.keras.ops.ldexp(x, 5)
print("got", tape.gradient(y, x).numpy(), "expected [32. 32. 32.]")
