"""TensorFlow: softmax of float32 along an axis that is not the last refuses six axes; that of float64 does not."""

import tensorflow as tf

for dtype in (tf.float64, tf.float32):
    try:
        print(dtype.name, tf.nn.softmax(tf.zeros((2, 1, 2, 3, 1, 2), dtype), -3).shape)
    except tf.errors.AbortedError as error:
        print(dtype.name, "refused:", error.message)
