"""TensorFlow: where a persistent tape watches, vectorized_map of a cond that captures a tensor is refused, with an internal error."""

import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import tensorflow as tf

print("tensorflow", tf.__version__)
x = tf.constant([[1.0, 2.0], [-3.0, -4.0]])
w = tf.constant([5.0, 6.0])


def chosen(row):
    """A product with a captured tensor, by the sum of the row."""
    return tf.cond(tf.reduce_sum(row) > 0, lambda: row * row * w, lambda: row * w * w)


for is_persistent in (False, True):
    with tf.GradientTape(persistent=is_persistent) as tape:
        tape.watch([x, w])
        try:
            z = tf.vectorized_map(chosen, x)
            print(is_persistent, tape.gradient(z, w).numpy())  # [-14, -44]
        except Exception as error:
            print(
                is_persistent,
                type(error).__name__,
                [line for line in str(error).splitlines() if "rror" in line][-1],
            )
