"""TensorFlow: what has a condition, as take_along_axis and expm, ends in tf.vectorized_map if a persistent tape watches."""

import tensorflow as tf
import tensorflow.experimental.numpy as tnp

x, index = tf.reshape(tf.range(6.0), (2, 3)), tf.constant([[0, 0, 2], [1, 1, 0]], tf.int64)
matrices = tf.constant([[[0.5, 0.25], [-0.5, 1.0]]] * 2)
for name, mapped in (
    (
        "take_along_axis",
        lambda: tf.vectorized_map(lambda row: tnp.take_along_axis(row[0], row[1], -1), (x, index)),
    ),
    ("expm", lambda: tf.vectorized_map(tf.linalg.expm, matrices)),
):
    print(f"{name}, without a tape: {mapped().numpy().tolist()}")
    with tf.GradientTape(persistent=True) as tape:
        tape.watch((x, matrices))
        try:
            print(f"{name}, with a persistent tape: {mapped().numpy().tolist()}")
        except ValueError as error:
            print(f"{name}, with a persistent tape:", str(error).strip().splitlines()[-1].strip())
