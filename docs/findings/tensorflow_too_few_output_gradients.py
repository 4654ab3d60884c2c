"""TensorFlow: of a list of output_gradients that is shorter than that of the targets, memory behind it is read: that ends the process, or gives numbers."""

import subprocess
import sys

import tensorflow as tf

CALL = """
import tensorflow as tf
x, w = tf.constant([1.0, 2.0]), tf.constant([3.0, 4.0])
with tf.GradientTape() as tape:
    tape.watch([x, w])
    y = [x * w, -x]
print("expected an error", flush=True)
print([g.numpy().tolist() for g in tape.gradient(y, [x, w], output_gradients=[tf.ones(2)])])
"""

print("tensorflow", tf.__version__)
done = subprocess.run([sys.executable, "-c", CALL], capture_output=True, text=True, check=False)
print(done.stdout.strip())
print("exit status", done.returncode, "where 1 is an error that was raised, and -11 a segmentation fault")
