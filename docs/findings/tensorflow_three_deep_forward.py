"""TensorFlow: the gradient of derivatives that are taken by accumulators within each other raises, and is another number in a tf.function."""

import tensorflow as tf

x = tf.constant(2.0, tf.float64)


def derivative(function):
    """The derivative, by an accumulator."""

    def pushed(a):
        with tf.autodiff.ForwardAccumulator(a, tf.ones_like(a)) as accumulator:
            y = function(a)
        return accumulator.jvp(y)

    return pushed


def gradient(function, a):
    """The gradient, by a tape."""
    with tf.GradientTape() as tape:
        tape.watch(a)
        y = function(a)
    return tape.gradient(y, a)


third = derivative(derivative(derivative(lambda a: a * a * a * a)))
print(f"the third derivative of x⁴ at 2: got {third(x).numpy()}, expected 48.0")
try:
    print(f"its gradient: got {gradient(third, x).numpy()}, expected 24.0")
except Exception as error:
    print(f"its gradient: {type(error).__name__}: {error}, expected 24.0")
compiled = tf.function(lambda a: gradient(third, a))
print(f"its gradient in a tf.function: got {compiled(x).numpy()}, expected 24.0")
