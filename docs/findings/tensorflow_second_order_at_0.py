"""TensorFlow: second derivatives at a zero are silently wrong: 0 of a product and of a running product, NaN of x ** 1."""

import tensorflow as tf

for name, function, values, expected in (
    ("prod", tf.reduce_prod, [0.0, 2.0, 3.0], "[[0 3 2] [3 0 0] [2 0 0]]"),
    ("cumprod", lambda x: tf.math.cumprod(x)[2], [0.0, 2.0, 3.0], "[[0 3 2] [3 0 0] [2 0 0]]"),
    ("pow", lambda x: tf.pow(x, 1.0)[0], [0.0], "[[0]]"),
):
    x = tf.constant(values)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = function(x)
        first = inner.gradient(y, x)
    print(f"{name}: got {outer.jacobian(first, x).numpy().tolist()}, expected {expected}")
