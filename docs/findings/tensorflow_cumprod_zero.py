"""TensorFlow: the gradient of cumprod behind a zero is 0, and silently wrong: it divides by the operand."""

import tensorflow as tf

x = tf.constant([2.0, 0.0, 3.0])
with tf.GradientTape() as tape:
    tape.watch(x)
    y = tf.math.cumprod(x)
print("got", tape.gradient(y, x).numpy(), "expected [1. 8. 0.]")  # 1 + 0 + 0, 2 + 2·3, 2·0
