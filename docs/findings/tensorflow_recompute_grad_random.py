"""tf.recompute_grad draws other random numbers in the backward pass: the gradient of a dropout layer is of another mask."""

import tensorflow as tf


def dropout(x):
    """x with every second entry set to zero, on average."""
    return x * tf.cast(tf.random.uniform(tf.shape(x)) < 0.5, x.dtype)


x = tf.range(1.0, 9.0)
for name, function in (("plain", dropout), ("recompute_grad", tf.recompute_grad(dropout))):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    print(name, "kept", tf.cast(y != 0, tf.int32).numpy(), "gradient", tape.gradient(y, x).numpy())
