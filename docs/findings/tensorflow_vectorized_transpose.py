"""TensorFlow: vectorized_map of tf.transpose with axes that count from the end refuses, or moves the batch."""

import tensorflow as tf

x = tf.reshape(tf.range(12.0), (2, 2, 3))
for axes in ([1, 0], [-1, -2]):
    try:
        print(
            axes, tf.vectorized_map(lambda a, axes=axes: tf.transpose(a, axes), x).shape, "expected (2, 3, 2)"
        )
    except (ValueError, tf.errors.OpError) as error:
        print(axes, "refused:", " ".join(str(error).split())[-110:])
