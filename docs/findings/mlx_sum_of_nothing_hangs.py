"""MLX: a sum along an axis without entries may never end, or be what was in memory: the length of its loop is not its own."""

import subprocess
import sys

PROGRAM = """\
import random

import mlx.core as mx
import numpy as np

mx.set_default_device(mx.cpu)
random.seed({seed})
for turn in range(20000):
    mx.eval(mx.full((random.randint(1, 9),), turn + 1.5) + 1)  # which leaves something in memory
    shape = [random.choice([0, 1, 2, 3]) for _ in range(random.randint(1, 4))]
    axes = [axis for axis in range(len(shape)) if random.random() < 0.6]
    if all(shape[axis] for axis in axes):
        continue
    x = mx.transpose(mx.ones(shape[::-1], dtype=mx.float64))
    print("shape", x.shape, "axes", axes, flush=True)
    total = np.array(mx.sum(x, axis=axes))
    if total.any():
        print("shape", x.shape, "axes", axes, "sum", total.ravel()[:3], "expected 0")
        break
"""
for seed in range(1, 7):
    command = [sys.executable, "-c", PROGRAM.format(seed=seed)]
    try:
        done = subprocess.run(command, capture_output=True, check=False, timeout=5)
        print(done.stdout.decode().splitlines()[-1])
    except subprocess.TimeoutExpired as late:
        print("no end within 5 s of the sum of", late.stdout.decode().splitlines()[-1])
