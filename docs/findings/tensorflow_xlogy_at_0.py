"""TensorFlow: the gradients of x log y and x log1p y with respect to x are 0 at x = 0, where they are the logarithms."""

import tensorflow as tf

x, y = tf.constant([0.0, 1.0]), tf.constant([2.0, 2.0])
for function, expected in (
    (tf.math.xlogy, "[0.6931472 0.6931472]"),
    (tf.math.xlog1py, "[1.0986123 1.0986123]"),
):
    with tf.GradientTape() as tape:
        tape.watch(x)
        z = function(x, y)
    print("got", tape.gradient(z, x).numpy(), "expected", expected)
