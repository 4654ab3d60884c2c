"""TensorFlow: of equal operands the gradients of logaddexp and logaddexp2 are 1 and 0, where each is 0.5."""

import tensorflow as tf
import tensorflow.experimental.numpy as tnp

for name in ("logaddexp", "logaddexp2"):
    x, y = tf.constant(1.5), tf.constant(1.5)
    with tf.GradientTape() as tape:
        tape.watch((x, y))
        z = getattr(tnp, name)(x, y)
    print(f"{name}: got {[g.numpy() for g in tape.gradient(z, (x, y))]}, expected [0.5, 0.5]")
