"""TensorFlow: the gradient of cumulative_logsumexp takes the cotangent's logarithm: it is not linear, and not double for the double."""

import tensorflow as tf

x, cotangent = tf.constant([-1.125, -2.75, -2.5], tf.float64), tf.constant([0.25, 0.75, 2.5], tf.float64)


def gradient(cotangent):
    """By x."""
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.math.cumulative_logsumexp(x)
    return tape.gradient(y, x, cotangent).numpy()


print("twice the gradient:     ", [float(g).hex() for g in 2 * gradient(cotangent)])
print("the gradient of double: ", [float(g).hex() for g in gradient(2 * cotangent)])
