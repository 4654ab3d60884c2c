"""TensorFlow: tf.where broadcasts six axes, and its gradient does too, but that cannot be differentiated by its cotangent."""

import tensorflow as tf

condition = tf.reshape([True, False] * 4, (2, 1, 2, 1, 2, 1))
x = tf.ones((1, 2, 1, 2, 1, 2))
cotangent = tf.ones((2, 2, 2, 2, 2, 2))
with tf.GradientTape() as outer:
    outer.watch(cotangent)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.where(condition, x, 0.0)
    slope = tape.gradient(y, x, output_gradients=cotangent)
print("gradient of shape", slope.shape)
try:
    print("by the cotangent:", outer.gradient(slope, cotangent).shape)
except tf.errors.UnimplementedError as error:
    print("by the cotangent:", error.message)
