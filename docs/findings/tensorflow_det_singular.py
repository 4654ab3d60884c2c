"""TensorFlow: the gradient of the determinant of a singular matrix is refused, where it is the matrix of cofactors."""

import tensorflow as tf

x = tf.constant([[1.0, 2.0], [2.0, 4.0]])
with tf.GradientTape() as tape:
    tape.watch(x)
    y = tf.linalg.det(x)
try:
    print("got", tape.gradient(y, x).numpy(), "expected [[4, -2], [-2, 1]]")
except tf.errors.InvalidArgumentError as error:
    print("refused:", error.message, "expected [[4, -2], [-2, 1]]")
