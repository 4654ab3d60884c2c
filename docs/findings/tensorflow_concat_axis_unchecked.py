"""TensorFlow: the axis along which one tensor is concatenated is not checked."""

import tensorflow as tf

print(
    "one tensor of one axis, along axis 10: got",
    tf.concat([tf.ones(3)], axis=10).numpy(),
    "where an error is expected",
)
try:
    tf.concat([tf.ones(3), tf.ones(3)], axis=10)
except tf.errors.InvalidArgumentError as error:
    print("two tensors:", error.message)
