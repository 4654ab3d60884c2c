"""TensorFlow: in tf.vectorized_map a roll along an axis that counts from the end rolls another axis, silently."""

import tensorflow as tf

x = tf.reshape(tf.range(12.0), (2, 2, 3))
for axis in (1, -1):
    mapped = tf.vectorized_map(lambda a, axis=axis: tf.roll(a, 1, axis), x)
    expected = tf.stack([tf.roll(a, 1, axis) for a in x])
    print(f"axis {axis}: got {mapped[0].numpy().tolist()}, expected {expected[0].numpy().tolist()}")
