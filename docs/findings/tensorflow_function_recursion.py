"""TensorFlow: in tf.function a recursion that ends by a value never ends: AutoGraph converts branches and loops, and traces both sides."""

import tensorflow as tf


def halved(x):
    """How small the operand is after some halvings."""
    return halved(x / 2) if x > 1.0 else x


print("tensorflow", tf.__version__)
print("eager:   ", halved(tf.constant(5.0)).numpy())
try:
    print("function:", tf.function(halved)(tf.constant(5.0)).numpy())
except Exception as error:
    print("function:", type(error).__name__, str(error).strip().splitlines()[-1][:100])
