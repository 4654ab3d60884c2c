"""TensorFlow: elu and selu subtract 1 from an exponential: small values lose their digits, and have no second derivative."""

import math

import tensorflow as tf

SCALE, ALPHA = 1.0507009873554805, 1.6732632423543772
for dtype, value in (("float32", -0.0072554855), ("float64", -1e-8), ("float64", -1e-20)):
    x = tf.constant(value, dtype)
    exact = math.expm1(x.numpy())
    print(f"elu({x.numpy()}), {dtype}: got {tf.nn.elu(x).numpy()}, exactly {exact}")
    print(f"selu({x.numpy()}), {dtype}: got {tf.nn.selu(x).numpy()}, exactly {SCALE * ALPHA * exact}")

x = tf.constant(-1e-20, "float64")
with tf.GradientTape() as outer:
    outer.watch(x)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.nn.elu(x)
    slope = tape.gradient(y, x)
print("second derivative of elu at -1e-20: got", outer.gradient(slope, x).numpy(), "expected 1")
