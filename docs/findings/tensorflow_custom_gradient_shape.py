"""TensorFlow: tf.custom_gradient does not look at the shape of what a rule answers: an operand of shape (3,) gets a gradient of (1, 3)."""

import tensorflow as tf

print("tensorflow", tf.__version__)


@tf.custom_gradient
def double(a):
    """Twice a."""
    return a + a, lambda g: tf.reshape(g + g, (1, 3))


x = tf.constant([1.0, 2.0, 3.0])
with tf.GradientTape() as tape:
    tape.watch(x)
    y = double(x)
print("an operand of shape", x.shape, "gets a gradient of shape", tape.gradient(y, x).shape)
