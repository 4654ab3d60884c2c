"""TensorFlow: tensors without entries are refused by the gradient of diag with an offset, and by take_along_axis."""

import tensorflow as tf
import tensorflow.experimental.numpy as tnp

x = tf.zeros(0)
with tf.GradientTape() as tape:
    tape.watch(x)
    y = tf.linalg.diag(x, k=1)
for name, call in (
    ("the gradient of diag", lambda: tape.gradient(y, x)),
    ("take_along_axis", lambda: tnp.take_along_axis(tf.zeros((0, 3)), tf.zeros((0, 0), tf.int32), -1)),
):
    try:
        print(f"{name}: {call().shape}")
    except tf.errors.InvalidArgumentError as error:
        print(f"{name}: refused: {error.message}")
