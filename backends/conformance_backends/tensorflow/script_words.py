"""What scripts for TensorFlow begin with."""

from __future__ import annotations

IMPORTS = """
import numpy as np
import tensorflow as tf
import tensorflow.experimental.numpy as tnp


def vjp(function, arrays, cotangents=None):
    arrays = [tf.identity(x) for x in arrays]
    with tf.GradientTape() as tape:
        tape.watch(arrays)
        outputs = function(*arrays)
    return tape.gradient(outputs, arrays, cotangents)


def jvp(function, arrays, tangents):
    with tf.autodiff.ForwardAccumulator(arrays, tangents) as accumulator:
        outputs = function(*arrays)
    return outputs, accumulator.jvp(outputs)


def gradients_within(function, arrays, cotangents):
    with tf.GradientTape() as tape:
        tape.watch(arrays)
        outputs, sources = function(*arrays)
    return tape.gradient(list(outputs), list(sources), cotangents)


def scanned(step, carry, items):
    like = tf.zeros_like(step(carry, tf.zeros_like(items[0]))[1])
    carries, outputs = tf.scan(lambda state, x: step(state[0], x), items, (carry, like))
    return tf.nest.map_structure(lambda stacked: stacked[-1], carries), outputs
""".strip()
