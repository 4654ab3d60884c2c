"""TensorFlow: tf.pad takes six axes, so that in tf.vectorized_map it takes five, and says so."""

import tensorflow as tf

for rank in (5, 6):
    x = tf.ones((2,) * (rank + 1))
    try:
        print(f"{rank} axes, mapped:", tf.vectorized_map(lambda a: tf.pad(a, [[1, 0]] * a.ndim), x).shape)
    except tf.errors.OpError as error:
        print(f"{rank} axes, mapped:", error.message.strip().splitlines()[-2])
