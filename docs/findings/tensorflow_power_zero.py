"""TensorFlow: the gradient of a power whose exponent is 0 is NaN at 0, though x to the 0 is the constant 1."""

import tensorflow as tf

x = tf.constant([0.0, 2.0])
with tf.GradientTape() as tape:
    tape.watch(x)
    y = tf.pow(x, 0)
print("value:", y.numpy(), "gradient:", tape.gradient(y, x).numpy(), "expected [0. 0.]")
