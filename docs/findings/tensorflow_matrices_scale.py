"""TensorFlow: gradients of factorizations are of no use for matrices that are large or small as a whole.

A scale changes no digit: of a matrix times t, the gradient of what does not depend on t is that of the matrix over t.
"""

import tensorflow as tf

MATRIX = tf.constant([[2.0, 1.0], [0.5, 1.0]])
CALLS = {
    "svd": lambda x: tf.linalg.svd(x)[1][0, 0],
    "eigh": lambda x: tf.linalg.eigh(x + tf.transpose(x))[1][0, 0],
    "qr": lambda x: tf.linalg.qr(x)[0][0, 0],
    "pinv, times the scale": lambda x: tf.linalg.pinv(x)[0, 0] * x[0, 0],
    "norm over the scale": lambda x: tf.norm(x) / x[0, 0],
}

print("tensorflow", tf.__version__)
for name, call in CALLS.items():
    for exponent in (0, 40, -40, 70, -70):
        t = 2.0**exponent
        x = t * MATRIX
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = call(x)
        print(
            f"{name}, times 2^{exponent}: the gradient, times 2^{exponent}:",
            (t * tape.gradient(y, x)).numpy().tolist(),
        )
