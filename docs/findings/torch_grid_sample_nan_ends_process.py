"""torch: the gradient of grid_sample at a NaN in the grid, which the manual reads as -1, writes outside the image: it may end the process."""

import subprocess
import sys

import torch

CALL = """
import torch
x = torch.ones(1, 1, 3, 3, dtype=torch.float64, requires_grad=True)
grid = torch.zeros(1, 1, 2, 2, dtype=torch.float64)
grid[0, 0, 0, 0] = float("nan")
y = torch.nn.functional.grid_sample(x, grid, padding_mode="border", align_corners=False)
print("value", y.tolist(), flush=True)
y.sum().backward()
print("gradient", x.grad.tolist())
"""

print("torch", torch.__version__)
done = subprocess.run([sys.executable, "-c", CALL], capture_output=True, text=True, check=False)
print(done.stdout.strip())
print("exit status", done.returncode, "where 0 is success, and -11 a segmentation fault")
