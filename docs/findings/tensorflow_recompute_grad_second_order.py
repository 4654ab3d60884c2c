"""TensorFlow: the gradient of a function under recompute_grad cannot be differentiated by its cotangent."""

import tensorflow as tf

x, g = tf.constant(2.0), tf.constant(5.0)
with tf.GradientTape() as outer:
    outer.watch([x, g])
    with tf.GradientTape() as inner:
        inner.watch(x)
        y = tf.recompute_grad(lambda a: a * a * a)(x)
    first = inner.gradient(y, x, output_gradients=g)
try:
    print("got", outer.gradient(first, [x, g]), "expected 60.0, 12.0")
except NotImplementedError as error:
    print("refused:", error)
