"""TensorFlow: a tensor that a function under recompute_grad captures gets no gradient, without an error."""

import tensorflow as tf

x, w = tf.constant(2.0), tf.constant(3.0)
with tf.GradientTape() as tape:
    tape.watch([x, w])
    y = tf.recompute_grad(lambda a: w * w * a)(x)
print("got", tape.gradient(y, w), "expected 12.0")
