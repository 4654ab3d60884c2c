"""TensorFlow: in tf.vectorized_map, under a persistent tape, singular values are refused: their gradient is not implemented there."""

import tensorflow as tf

x = tf.constant([[[0.5, 0.25], [-0.5, 1.0]]] * 2)
for is_persistent in (False, True):
    with tf.GradientTape(persistent=is_persistent) as tape:
        tape.watch(x)
        try:
            y = tf.vectorized_map(lambda a: tf.norm(a, 2, axis=(-2, -1)), x)
            print(f"persistent={is_persistent}:", y.numpy().tolist())
        except NotImplementedError as error:
            print(f"persistent={is_persistent}:", error)
