"""TensorFlow: softsign has no second derivative, and no forward mode."""

import tensorflow as tf

x = tf.constant(0.5)
with tf.GradientTape() as outer:
    outer.watch(x)
    with tf.GradientTape() as inner:
        inner.watch(x)
        y = tf.nn.softsign(x)
    first = inner.gradient(y, x)
try:
    print("got", outer.gradient(first, x))
except LookupError as error:
    print("refused:", error)
