"""TensorFlow: a NaN in one matrix spoils expm of the others in the stack; one in a channel spoils the local response norm of all."""

import numpy as np
import tensorflow as tf

print("tensorflow", tf.__version__)
stack = np.array([[[1.0, 0.0], [0.0, 1.0]], [[np.nan, 0.0], [0.0, 1.0]]])
print("expm of the first of two matrices: ", tf.linalg.expm(stack)[0].numpy().tolist())
print("expm of the first matrix by itself:", tf.linalg.expm(stack[:1])[0].numpy().tolist())
channels = np.ones((1, 1, 1, 6), np.float32)
channels[..., 0] = np.nan
normed = tf.nn.local_response_normalization(channels, depth_radius=1)
print("the first of six channels is NaN; normed over a radius of one:", normed.numpy().ravel().tolist())
