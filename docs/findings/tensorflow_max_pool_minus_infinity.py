"""TensorFlow: the largest of minus infinities is, in max_pool2d, the least finite number."""

import tensorflow as tf

for dtype in ("float32", "float64"):
    x = tf.fill((1, 2, 2, 1), tf.constant(float("-inf"), dtype))
    print(f"{dtype}: got {tf.nn.max_pool2d(x, 2, 1, 'VALID').numpy().ravel()}, expected [-inf]")
