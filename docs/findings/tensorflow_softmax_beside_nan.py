"""TensorFlow: in float32 the softmax of entries beside a NaN is 0; in float64 all of it is NaN."""

import tensorflow as tf

for dtype in ("float32", "float64"):
    z = tf.nn.softmax(tf.constant([1.0, float("nan"), 2.0], dtype))
    print(f"{dtype}: got {z.numpy()}, expected [nan nan nan]")
