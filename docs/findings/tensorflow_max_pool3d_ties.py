"""TensorFlow: each of several largest entries gets the whole gradient of max_pool3d, and minus infinities get none."""

import tensorflow as tf

for entries in ([1.0, 5.0], [5.0, 5.0], [-float("inf")] * 2):
    x = tf.reshape(tf.constant(entries), (1, 2, 1, 1, 1))
    for name, pool, window in (
        ("max_pool3d", tf.nn.max_pool3d, (2, 1, 1)),
        ("max_pool2d", tf.nn.max_pool2d, (2, 1)),
    ):
        operand = x if name == "max_pool3d" else x[..., 0]
        with tf.GradientTape() as tape:
            tape.watch(operand)
            y = pool(operand, window, window, "VALID")
        got = tape.gradient(y, operand).numpy().ravel()
        print(f"{name} of {entries}: gradient {got}, whose sum is {got.sum()}, expected 1.0")
