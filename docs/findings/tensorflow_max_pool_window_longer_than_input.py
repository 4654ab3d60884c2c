"""TensorFlow: where a window is longer than the operand, max pooling has no entries: its gradient is whatever was in memory,
and in float32 it may end the process.

tf.keras.ops.adaptive_max_pool calls it so, wherever a window would be longer.
"""

import os

import tensorflow as tf

for _ in range(3):
    x = tf.constant([[1.0, 2.0, 3.0, 7.0], [5.0, 2.5, 1.0, 0.5]], tf.float64)[None, :, :, None]
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.nn.max_pool2d(x, (3, 1), 1, "VALID")
    print(
        "of shape",
        tuple(y.shape),
        "gradient",
        tape.gradient(y, x).numpy().ravel(),
        "expected zeros",
        flush=True,
    )

child = os.fork()
if not child:
    tf.nn.max_pool2d(tf.ones((1, 1, 17, 1)), (1, 18), 1, "VALID")
    os._exit(0)
print("float32: ended by signal", os.WTERMSIG(os.waitpid(child, 0)[1]), "where none is expected")
