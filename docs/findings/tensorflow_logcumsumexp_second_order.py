"""TensorFlow: the gradient of a tangent of cumulative_logsumexp is NaN."""

import tensorflow as tf

for values in ([1.0, -1.0], [1000.0, -1000.0]):
    x, tangent = tf.constant(values), tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        with tf.autodiff.ForwardAccumulator(x, tangent) as accumulator:
            y = tf.math.cumulative_logsumexp(x)
        pushed = accumulator.jvp(y)[1]
    print(f"at {values}: got {tape.gradient(pushed, x).numpy()}")
