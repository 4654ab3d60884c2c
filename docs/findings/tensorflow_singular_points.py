"""TensorFlow: NaN or a wrong number where the gradient is known: norms and spreads at 0, celu at 0, 0 to the 0, the matrix of powers of 0."""

import tensorflow as tf
import tensorflow.experimental.numpy as tnp

for name, function, value, expected in (
    ("norm at 0", tf.norm, [0.0, 0.0], "between -1 and 1"),
    ("std of equal entries", tf.math.reduce_std, [2.0, 2.0], "between -0.5 and 0.5"),
    ("std of one entry", tf.math.reduce_std, [3.0], "0"),
    ("celu at 0, alpha = 0.5", lambda x: tf.keras.activations.celu(x, 0.5), [0.0], "1"),
    ("0 ** 0 in the base", lambda x: tf.pow(x, 0.0), [0.0], "0"),
    ("vander at 0", lambda x: tnp.vander(x, 3), [0.0, 2.0], "[1 5]"),
):
    x = tf.constant(value)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    print(f"{name}: got {tape.gradient(y, x).numpy()}, expected {expected}")
