"""TensorFlow: max pooling leaves a NaN out, where tf.reduce_max does not; of a NaN alone it is the least finite number."""

import tensorflow as tf

nan = float("nan")
for dtype in ("float32", "float64"):
    for entries in ([nan, 1.0, 2.0, 3.0], [1.0, 2.0, 3.0, nan], [nan, nan, nan, nan]):
        x = tf.constant(entries, dtype)
        pooled = tf.nn.max_pool2d(tf.reshape(x, (1, 2, 2, 1)), 2, 2, "VALID").numpy().item()
        row = tf.nn.max_pool1d(tf.reshape(x, (1, 4, 1)), 4, 4, "VALID").numpy().item()
        print(
            f"{dtype} {entries}: max_pool2d {pooled}, max_pool1d {row}, reduce_max {tf.reduce_max(x).numpy()}, expected nan"
        )
