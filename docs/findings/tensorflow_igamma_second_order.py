"""TensorFlow: second derivatives of igamma and igammac are not implemented, and it says so."""

import tensorflow as tf

a, x = tf.constant(2.5), tf.constant(1.5)
for function in (tf.math.igamma, tf.math.igammac):
    with tf.GradientTape() as outer:
        outer.watch((a, x))
        with tf.GradientTape() as tape:
            tape.watch((a, x))
            y = function(a, x)
        slopes = tape.gradient(y, (a, x))
    try:
        print(function.__name__, outer.gradient(slopes, (a, x)))
    except LookupError as error:
        print(f"{function.__name__}: {error}")
