"""TensorFlow: a number below the normal ones is zero in signs, comparisons, truth values and counts."""

import numpy as np
import tensorflow as tf

for dtype in (np.float64, np.float32):
    x = np.array([np.finfo(dtype).smallest_subnormal, -np.finfo(dtype).smallest_subnormal])
    given = tf.constant(x)
    print(f"{dtype.__name__} {x}: kept in memory as {given.numpy()}")
    print("  sign: TensorFlow", tf.sign(given).numpy(), "NumPy", np.sign(x))
    print("  x != 0: TensorFlow", tf.not_equal(given, 0).numpy(), "NumPy", x != 0)
    print("  cast to bool: TensorFlow", tf.cast(given, tf.bool).numpy(), "NumPy", x.astype(bool))
    print("  count_nonzero: TensorFlow", tf.math.count_nonzero(given).numpy(), "NumPy", np.count_nonzero(x))
