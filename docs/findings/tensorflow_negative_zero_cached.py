"""TensorFlow: a Python number is converted once for all numbers that are equal to it, so that -0.0 is 0.0 where that came first."""

import tensorflow as tf

print("tensorflow", tf.__version__)
x = tf.constant([1.0, 2.0])
print("1 / 0.0: ", (x / 0.0).numpy())
print("1 / -0.0:", (x / -0.0).numpy(), "by a number;", (x / tf.constant(-0.0)).numpy(), "by a tensor")
