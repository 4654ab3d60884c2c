"""TensorFlow: tf.nn.moments stops the gradient at the mean, so that second derivatives of the variance are wrong."""

import tensorflow as tf


def by_hand(x):
    """The variance, from its definition."""
    return tf.reduce_mean((x - tf.reduce_mean(x)) ** 2)


x = tf.constant([1.0, 2.0, 4.0])
for name, variance in (("tf.nn.moments", lambda x: tf.nn.moments(x, [0])[1]), ("by hand", by_hand)):
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = variance(x)
        first = inner.gradient(y, x)
    print(f"{name}: gradient {first.numpy()}, second derivatives {outer.jacobian(first, x).numpy().tolist()}")
