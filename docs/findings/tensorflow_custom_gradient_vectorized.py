"""TensorFlow: tf.vectorized_map loses the rule of tf.custom_gradient, and what the function computes is differentiated instead."""

import tensorflow as tf

print("tensorflow", tf.__version__)


@tf.custom_gradient
def tripled(x):
    """3x, with a rule of its own: 2g."""
    return 3 * x, lambda g: 2 * g


x = tf.constant([1.0, 2.0, 3.0])
for name, function in (
    ("alone", tripled),
    ("tf.map_fn", lambda x: tf.map_fn(tripled, x)),
    ("tf.vectorized_map", lambda x: tf.vectorized_map(tripled, x)),
):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    print(f"{name}: gradient", tape.gradient(y, x).numpy(), "expected [2, 2, 2], by the rule")
