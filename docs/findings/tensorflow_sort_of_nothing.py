"""TensorFlow: the gradient of a sort along an axis without entries is refused."""

import tensorflow as tf

x = tf.zeros((2, 0))
with tf.GradientTape() as tape:
    tape.watch(x)
    y = tf.sort(x)
try:
    print(tape.gradient(y, x).shape)
except tf.errors.InvalidArgumentError as error:
    print("refused:", error.message)
