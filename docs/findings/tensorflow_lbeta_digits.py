"""TensorFlow: lbeta is a difference of logarithms of gamma functions: of large operands digits are lost, or all of it."""

import tensorflow as tf

for a, b, exact in (  # the exact values are mpmath's, of fifty digits
    (4.0, 1e8, -71.89096356658141),
    (1e77, 50.0, -8720.386864080731),
):
    got = tf.math.lbeta(tf.constant([a, b], tf.float64)).numpy()
    print(f"lbeta of {a} and {b}: got {got}, exactly {exact}")
