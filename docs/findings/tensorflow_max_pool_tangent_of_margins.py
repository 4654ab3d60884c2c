"""TensorFlow: max pooling with an explicit margin has a gradient, and its tangent and second derivative raise."""

import tensorflow as tf

x = tf.reshape(tf.range(16.0), (1, 4, 4, 1))
margins = [[0, 0], [1, 1], [1, 1], [0, 0]]
for padding in ("SAME", margins):
    try:
        with tf.autodiff.ForwardAccumulator(x, tf.ones_like(x)) as accumulator:
            y = tf.nn.max_pool2d(x, 2, 2, padding)
        print(f"padding {padding}: tangent of shape {accumulator.jvp(y).shape}")
    except ValueError as error:
        print(f"padding {padding}: {error}")
