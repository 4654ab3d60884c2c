"""TensorFlow: a tangent of the tangent of unsorted_segment_prod ends in a SystemError."""

import tensorflow as tf

x, t = tf.constant([2.0, 3.0, 4.0]), tf.constant([1.0, 0.0, 0.0])
with tf.autodiff.ForwardAccumulator(x, t) as once:
    z = tf.math.unsorted_segment_prod(x, tf.constant([0, 0, 1]), 2)
print("tangent", once.jvp(z).numpy())
try:
    with tf.autodiff.ForwardAccumulator(x, t) as outer, tf.autodiff.ForwardAccumulator(x, t) as inner:
        z = tf.math.unsorted_segment_prod(x, tf.constant([0, 0, 1]), 2)
    print("its tangent", outer.jvp(inner.jvp(z)))
except SystemError as error:
    print("its tangent: SystemError:", error)
