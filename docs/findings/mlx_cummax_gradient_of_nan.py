"""MLX: the gradient of cummax or cummin whose first entry is NaN ends the process, or writes where it must not."""

import subprocess
import sys

PROGRAM = """\
import mlx.core as mx

mx.set_default_device(mx.cpu)
x = mx.array([float("nan"), 1.0, 2.0])
for _ in range(100):
    (gradient,) = mx.vjp(lambda x: mx.cummax(x, axis=0), [x], [mx.ones(3)])[1]
    mx.eval(gradient)
print("it ended well")
"""
done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=False)
print(f"exit code {done.returncode}, printed {done.stdout!r}; expected 0, and that it ended well")
