"""TensorFlow: in a tf.function the gradient of the tangent of expm, which has a loop, raises an internal TypeError."""

import numpy as np
import tensorflow as tf

x = tf.constant(np.array([[-0.75, -1.75], [-1.625, -1.875]]))
along = tf.constant(np.array([[1.0, 2.0], [-3.0, 0.5]]))


def gradient_of_tangent(x):
    """Of the sum of the tangent's entries."""
    with tf.GradientTape() as tape:
        tape.watch(x)
        with tf.autodiff.ForwardAccumulator(x, along) as accumulator:
            z = tf.linalg.expm(x)
        total = tf.reduce_sum(accumulator.jvp(z))
    return tape.gradient(total, x)


print("as it is:", gradient_of_tangent(x).numpy().tolist())
try:
    print("in a tf.function:", tf.function(gradient_of_tangent)(x).numpy().tolist())
except TypeError as error:
    print("in a tf.function: TypeError:", str(error).strip().splitlines()[-1].strip())
