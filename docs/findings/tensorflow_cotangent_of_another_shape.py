"""TensorFlow: output_gradients of another shape is accepted, and the gradient has not the operand's shape."""

import numpy as np
import tensorflow as tf

x = tf.constant(np.array([2.0, 3.0, 5.0]))
with tf.GradientTape() as tape:
    tape.watch(x)
    y = tf.exp(x)
g = tape.gradient(y, x, output_gradients=tf.ones((2, 3), tf.float64))
print("operand", x.shape, "gradient", g.shape)
