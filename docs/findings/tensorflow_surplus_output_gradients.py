"""TensorFlow: of a list of output_gradients that is longer than that of the targets, the rest is ignored."""

import tensorflow as tf

print("tensorflow", tf.__version__)
x, w = tf.constant([1.0, 2.0]), tf.constant([3.0, 4.0])
with tf.GradientTape() as tape:
    tape.watch([x, w])
    y = [x * w, -x]
given = [tf.ones(2), tf.ones(2), tf.fill([2], 100.0)]
found = tape.gradient(y, [x, w], output_gradients=given)
print("two targets, three output_gradients; an error is expected:", [g.numpy().tolist() for g in found])
