"""TensorFlow: what tf.vectorized_map recorded stays in a reference cycle: its arrays live until the cycle collector runs."""

import gc
import weakref

import tensorflow as tf


def step():
    """Return a weak reference to an operand of which a vectorized function was differentiated."""
    x = tf.random.uniform((2, 1000))
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.vectorized_map(lambda row: row * row, x)
    tape.gradient(y, x)
    return weakref.ref(x)


gc.disable()
refs = [step() for _ in range(6)]
print("arrays alive, of 6:", sum(ref() is not None for ref in refs), "expected 0")
gc.collect()
print("after a collection:", sum(ref() is not None for ref in refs))
