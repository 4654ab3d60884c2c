"""TensorFlow: the second derivative of the variance that tf.nn.moments gives is that for a mean which does not depend on the entries."""

import tensorflow as tf

x = tf.constant([1.0, 2.0, 4.0], tf.float64)
for name, variance in (
    ("tf.nn.moments", lambda x: tf.nn.moments(x, [0])[1]),
    ("tf.math.reduce_variance", tf.math.reduce_variance),
):
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            value = variance(x)
        gradient = inner.gradient(value, x)
    print(name, "gradient", gradient.numpy(), "Hessian", outer.jacobian(gradient, x).numpy().tolist())
