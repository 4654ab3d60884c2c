"""TensorFlow: soft_shrink and hard_shrink of NaN are 0, those of other activations NaN."""

import tensorflow as tf

x = tf.constant([float("nan")])
for name in ("soft_shrink", "hard_shrink", "tanh_shrink", "hard_tanh"):
    print(f"{name}: got {getattr(tf.keras.activations, name)(x).numpy()}, expected [nan]")
