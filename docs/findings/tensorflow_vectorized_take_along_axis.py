"""TensorFlow: tnp.take_along_axis of mapped indices ends in an internal error in tf.vectorized_map, if a persistent tape watches."""

import tensorflow as tf
import tensorflow.experimental.numpy as tnp

x, index = tf.reshape(tf.range(6.0), (2, 3)), tf.constant([[0, 0, 2], [1, 1, 0]], tf.int64)


def mapped():
    """The entries that each row of indices names."""
    return tf.vectorized_map(lambda row: tnp.take_along_axis(row[0], row[1], -1), (x, index))


print("without a tape:", mapped().numpy().tolist())
with tf.GradientTape(persistent=True) as tape:
    tape.watch(x)
    try:
        print("with a persistent tape:", mapped().numpy().tolist())
    except ValueError as error:
        print("with a persistent tape:", str(error).strip().splitlines()[-1].strip())
