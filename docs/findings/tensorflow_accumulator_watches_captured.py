"""TensorFlow: an inner ForwardAccumulator watches its tensor, not its argument: what the function captures of it moves too."""

import tensorflow as tf

x, one = tf.constant(2.0), tf.constant(1.0)
for name, operand in (("the same tensor", x), ("a copy", tf.identity(x))):
    with tf.autodiff.ForwardAccumulator(operand, one) as accumulator:
        y = x * operand * operand
    print(f"{name}: tangent of x z² by z at z = x: got {accumulator.jvp(y).numpy()}, expected 8.0")
