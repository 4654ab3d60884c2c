"""TensorFlow: the determinant is the exponential of a logarithm: far from 1 its gradient loses digits."""

import tensorflow as tf

for entry in (-2.0, -2.2870418e-34):
    x = tf.constant([[entry]])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.linalg.det(x)
    print(
        f"det [[{entry}]]: gradient {tape.gradient(y, x).numpy().item():.9g}, expected 1; value {y.numpy():.9g}"
    )
