"""TensorFlow: each gradient of a sum of two tensors leaves one tensor behind, which no cycle keeps, for ever."""

import gc

import tensorflow as tf


def alive() -> int:
    """Count the tensors that Python has."""
    gc.collect()
    return sum(type(thing).__name__ == "EagerTensor" for thing in gc.get_objects())


for name, function in (("multiply", tf.multiply), ("add", tf.add)):
    before = alive()
    for _ in range(100):
        x, y, g = tf.ones(3), tf.ones(3), tf.ones(3)
        with tf.GradientTape() as tape:
            tape.watch([x, y])
            z = function(x, y)
        tape.gradient(z, [x, y], output_gradients=g)
    print(f"{name}: {alive() - before} tensors more after 100 gradients")
