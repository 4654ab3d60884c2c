"""TensorFlow: in tf.function the time of a chain of custom gradients, each with its operand twice, doubles with each."""

import time

import tensorflow as tf


@tf.custom_gradient
def join(a, b):
    """The sum, with a rule of its own."""
    return a + b, lambda g: (g, g)


def seconds(wrap, depth):
    """What a call with so many uses takes, tracing included."""

    def diamonds(x):
        for _ in range(depth):
            x = join(x, x)
        return x

    started = time.perf_counter()
    assert float(wrap(diamonds)(tf.constant(1.0))) == 2.0**depth
    return time.perf_counter() - started


print("tensorflow", tf.__version__)
for depth in (4, 16, 18, 20):
    eager, compiled = seconds(lambda function: function, depth), seconds(tf.function, depth)
    print(f"{depth} uses: eager {eager:.2f} s, tf.function {compiled:.2f} s", flush=True)
