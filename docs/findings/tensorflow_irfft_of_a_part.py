"""TensorFlow: the gradients of rfft and irfft of a part of their operand are refused, or of one entry broadcast."""

import tensorflow as tf

for name, x, lengths in (
    ("rfft", tf.constant([1.0, 2.0, 3.0, 4.0]), (4, 3)),
    ("irfft", tf.constant([1 + 1j, 2 - 1j, 0.5j]), (4, 2, 1)),
):
    for length in lengths:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = getattr(tf.signal, name)(x, [length])
        try:
            print(f"{name}, {length} entries: {tape.gradient(y, x).numpy()}")
        except tf.errors.InvalidArgumentError as error:
            print(f"{name}, {length} entries: refused: {error.message}")
