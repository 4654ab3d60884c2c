"""TensorFlow: the gradient of a max_pool2d with explicit margins has no derivative by its cotangent."""

import tensorflow as tf

print("tensorflow", tf.__version__)
x, g = tf.ones((1, 4, 4, 1)), tf.Variable(tf.ones((1, 3, 3, 1)))
for padding in ("VALID", [[0, 0], [1, 1], [1, 1], [0, 0]]):
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = tf.nn.max_pool2d(x, 2, 2, padding)
        along = g[:, : y.shape[1], : y.shape[2]]
        slope = inner.gradient(y, x, along)
    try:
        print(padding, "->", outer.gradient(slope, g).shape)
    except tf.errors.InvalidArgumentError as error:
        print(padding, "-> InvalidArgumentError:", str(error).splitlines()[0][:110])
