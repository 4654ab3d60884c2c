"""TensorFlow: leaky_relu and gelu of float64 have constants that are rounded to float32."""

import math

import numpy as np
import tensorflow as tf

x = tf.constant(np.array([-1.0]))
print("leaky_relu", repr(float(tf.nn.leaky_relu(x, 0.01)[0])), "expected -0.01")
u = np.sqrt(2 / np.pi) * (-1.0 - 0.044715)
print(
    "gelu", repr(float(tf.nn.gelu(x, approximate=True)[0])), "expected", repr(float(-0.5 * (1 + np.tanh(u))))
)
exact = -0.5 * math.erfc(math.sqrt(0.5))
print("gelu, not approximate", repr(float(tf.nn.gelu(x)[0])), "expected", repr(exact))
