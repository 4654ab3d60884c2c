"""TensorFlow: the tangent of max pooling over minus infinities is 0 along every entry; its gradient takes one of them."""

import tensorflow as tf

x = tf.fill((1, 2, 2, 1), -float("inf"))
tangents = tf.reshape(tf.eye(4), (4, 1, 2, 2, 1))
for tangent in tangents:
    with tf.autodiff.ForwardAccumulator(x, tangent) as accumulator:
        y = tf.nn.max_pool2d(x, 2, 2, "VALID")
    print("tangent along one entry:", accumulator.jvp(y).numpy().item())
with tf.GradientTape() as tape:
    tape.watch(x)
    y = tf.nn.max_pool2d(x, 2, 2, "VALID")
print("gradient:", tape.gradient(y, x).numpy().ravel().tolist())
