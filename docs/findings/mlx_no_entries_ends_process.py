"""MLX: operations on arrays without entries end the process, or write where they must not."""

import subprocess
import sys

PROGRAM = """\
import mlx.core as mx

mx.set_default_device(mx.cpu)
result = {call}
mx.eval(result)
print(result.shape)
"""
CALLS = {
    "mx.grad(lambda x: mx.sum(mx.take(x, mx.array([0]), axis=0)))(mx.zeros((2, 0)))": (2, 0),
    "mx.zeros((2, 0)).at[mx.array([0])].add(mx.zeros((1, 0)))": (2, 0),
    "mx.linalg.inv(mx.zeros((0, 0)))": (0, 0),
    "mx.linalg.solve(mx.zeros((0, 0)), mx.zeros((0,)))": (0,),
}
for call, shape in CALLS.items():
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM.format(call=call)], capture_output=True, text=True, check=False
    )
    print(f"{call}: exit code {done.returncode}, printed {done.stdout!r}; expected shape {shape}")
