"""TensorFlow: tf.nn.batch_normalization takes the scaled mean from the scaled entries, which cancels far from 0."""

import tensorflow as tf

for dtype, middle in (("float64", 2.0**41), ("float32", 2.0**12)):
    x = tf.constant([middle - 3, middle - 1, middle + 1, middle + 3], dtype)
    mean, variance = tf.nn.moments(x, [0])  # exact: the middle, and 5
    got = tf.nn.batch_normalization(x, mean, variance, None, None, 4.0).numpy()
    print(f"{dtype}: got {got}, of differences first {((x - mean) / tf.sqrt(variance + 4.0)).numpy()}")
