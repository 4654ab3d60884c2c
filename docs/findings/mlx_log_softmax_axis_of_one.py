"""MLX: log_softmax and softmin along an axis of one entry that is not the last end the process."""

import subprocess
import sys

PROGRAM = """\
import mlx.core as mx
import mlx.nn as nn

mx.set_default_device(mx.cpu)
print(nn.{name}(mx.zeros((2, 1, 3)), axis=-2))
"""
for name, expected in (("log_softmax", "zeros"), ("softmin", "ones")):
    program = PROGRAM.format(name=name)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    print(f"{name}: exit code {done.returncode}, printed {done.stdout!r}; expected {expected}")
