"""TensorFlow: erfinv is made of a quantile at (1 + x)/2: the digits of small operands are lost, at 1e-20 all of them."""

import math

import tensorflow as tf

for value in (1e-3, 1e-10, 1e-20):
    exact = math.sqrt(math.pi) / 2 * (value + math.pi / 12 * value**3)
    for dtype in (tf.float64, tf.float32):
        got = tf.math.erfinv(tf.constant(value, dtype)).numpy()
        print(f"erfinv({value}) of {dtype.name}: got {got}, exactly {exact}")
