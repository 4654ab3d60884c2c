"""TensorFlow: where a rule only passes it on, output_gradients of another dtype is accepted: the gradient has its dtype."""

import numpy as np
import tensorflow as tf

x = tf.constant(np.array([1.0, 2.0]))
with tf.GradientTape() as tape:
    tape.watch(x)
    y = -x
print("operand", x.dtype.name, "gradient", tape.gradient(y, x, output_gradients=tf.ones(2)).dtype.name)
