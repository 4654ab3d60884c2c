"""TensorFlow: gradients of huge or small operands overflow, or vanish, on the way to a finite number."""

import tensorflow as tf
import tensorflow.experimental.numpy as tnp

HUGE, SMALL = 2.0**120, 2.0**-118
for name, function, values, expected in (
    ("norm of huge entries", tf.norm, [3 * HUGE, 4 * HUGE], "[0.6 0.8]"),
    ("norm of small entries", tf.norm, [3 * SMALL, 4 * SMALL], "[0.6 0.8]"),
    ("squareplus of a huge number", lambda x: tf.keras.activations.squareplus(x, 4.0), [HUGE], "1"),
    ("selu of a tiny number below 0", tf.nn.selu, [-1e-30], "1.758"),
    ("gelu of a huge number", lambda x: tf.nn.gelu(x, approximate=True), [HUGE], "1"),
    ("atan2 of small numbers", lambda x: tf.atan2(x[0], x[1]), [SMALL, SMALL], f"±{0.5 / SMALL:.3g}"),
    (
        "cumulative_logsumexp of huge numbers",
        lambda x: tf.math.cumulative_logsumexp(x)[1],
        [HUGE, HUGE],
        "0.5",
    ),
    (
        "cumulative_logsumexp after -inf",
        lambda x: tf.math.cumulative_logsumexp(x)[1],
        [-float("inf"), 0.0],
        "[0 1]",
    ),
):
    x = tf.constant(values)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    print(f"{name}: got {tape.gradient(y, x).numpy()}, expected {expected}")

for name, function, value, expected in (
    ("the square as a power", lambda x: tf.pow(x, 2.0), 2.0 * HUGE, f"{4 * HUGE:.4g}"),
    ("tnp.logaddexp2 with 0, at -inf", lambda x: tnp.logaddexp2(x, 0.0), -float("inf"), "0"),
):
    x = tf.constant(value)
    with tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) as accumulator:
        y = function(x)
    print(f"tangent of {name}: got {accumulator.jvp(y).numpy()}, expected {expected}")
