"""TensorFlow: tf.transpose takes axes that count from the end; its gradient refuses them."""

import tensorflow as tf

x = tf.ones((1, 2, 3))
with tf.GradientTape() as tape:
    tape.watch(x)
    y = tf.transpose(x, [-3, -1, -2])
print(y.shape)
try:
    print(tape.gradient(y, x).shape)
except tf.errors.InvalidArgumentError as error:
    print("refused:", error.message)
