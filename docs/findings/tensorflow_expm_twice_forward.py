"""TensorFlow: the tangent of a tangent of tf.linalg.expm is off by orders of magnitude, silently."""

import tensorflow as tf

x, v = (
    tf.constant([[0.05, 0.02], [-0.03, 0.1]], tf.float64),
    tf.constant([[1.0, 2.0], [0.5, -1.0]], tf.float64),
)
with tf.autodiff.ForwardAccumulator(x, v) as outer:
    with tf.autodiff.ForwardAccumulator(x, v) as inner:
        y = tf.linalg.expm(x)
    tangent = inner.jvp(y)
got = outer.jvp(tangent).numpy()
step = 1e-4
values = [tf.linalg.expm(x + k * step * v).numpy() for k in (-1, 0, 1)]
print("got", got.ravel(), "by differences", ((values[0] - 2 * values[1] + values[2]) / step**2).ravel())
