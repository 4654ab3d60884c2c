"""TensorFlow: the gradient of tnp.sinc at 0 is NaN, where it is 0; near 0 it cancels."""

import math

import tensorflow as tf
import tensorflow.experimental.numpy as tnp

values = [0.0, 1e-8, 1e-4]
x = tf.constant(values, tf.float64)
with tf.GradientTape() as tape:
    tape.watch(x)
    y = tnp.sinc(x)
print("got", tape.gradient(y, x).numpy(), "expected", [-(math.pi**2) * v / 3 for v in values])
