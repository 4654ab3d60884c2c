"""TensorFlow: the gradients of eigh and svd add 1e-20 to squares of gaps, so that those of small matrices are wrong."""

import tensorflow as tf


def slope(function, x):
    """The gradient of the first entry of the vectors."""
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)[1][0, 0]
    return tape.gradient(y, x).numpy()


for name, function, entries in (
    ("eigh", tf.linalg.eigh, [[3.0, 1.0], [1.0, 5.0]]),
    ("svd", tf.linalg.svd, [[3.0], [1.0], [5.0]]),
):
    matrix = tf.constant(entries, tf.float64)
    for scale in (1e-5, 1e-16):
        # The vectors of a multiple are the same, and so is the gradient times the factor.
        got, expected = slope(function, scale * matrix) * scale, slope(function, matrix)
        print(f"{name}, entries of {scale}: got {got.ravel()} over it, expected {expected.ravel()}")
