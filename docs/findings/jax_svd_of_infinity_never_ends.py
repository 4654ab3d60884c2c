"""jax on the CPU: the singular vectors of a matrix with an infinite entry never come, and so pinv of it, or the gradient of its singular values, does not, either.

Here each call has a process, which ends after ten seconds.
"""

import subprocess
import sys

import jax

print("jax", jax.__version__)
for matrix in ("[[nan, 1, 0], [1, 2, 0], [0, 1, 3]]", "[[inf, 1, 0], [1, 2, 0], [0, 1, 3]]"):
    call = f"from jax.numpy import array, inf, linalg, nan; print(linalg.svd(array({matrix}, 'float32'))[1])"
    try:
        done = subprocess.run([sys.executable, "-c", call], capture_output=True, text=True, timeout=10)
        print(matrix, "got", done.stdout.strip() or done.stderr.strip().splitlines()[-1])
    except subprocess.TimeoutExpired:
        print(matrix, "got no answer within 10 s, expected NaN or an error")
