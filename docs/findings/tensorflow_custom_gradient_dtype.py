"""TensorFlow: the gradient that a custom rule gives a float32 operand is float64: tf.custom_gradient does not look at dtypes."""

import tensorflow as tf


@tf.custom_gradient
def product(x, w):
    """The product, in float64."""
    wide = tf.cast(w, "float64")
    return x * wide, lambda g: (g * wide, g * x)


x, w = tf.constant(3.0, dtype="float64"), tf.constant(5.0, dtype="float32")
with tf.GradientTape() as tape:
    tape.watch(w)
    y = product(x, w)
print(tape.gradient(y, w).dtype.name)  # expected float32, or a refusal
