"""TensorFlow: the gradient of elu at -40 is 0, where it is e to the -40: 1 is subtracted from it, and added again."""

import tensorflow as tf

x = tf.constant(-40.0)
with tf.GradientTape() as tape:
    tape.watch(x)
    y = tf.keras.activations.elu(x)
print("got", tape.gradient(y, x).numpy(), "expected 4.248e-18")
