"""torch: the backward pass of group_norm ends the process where an image in channels-last order needs no gradient, and a weight does."""

import subprocess
import sys

import torch

CALL = """
import torch
weight = torch.ones(4, requires_grad=True)
image = torch.arange(48.0).reshape(2, 4, 3, 2){layout}
output = torch.nn.functional.group_norm(image, 2, weight)
print("value", tuple(output.shape), flush=True)
output.sum().backward()
print("gradient", weight.grad.tolist())
"""

print("torch", torch.__version__)
for layout in ("", ".to(memory_format=torch.channels_last)"):
    code = CALL.format(layout=layout)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    print(layout or "in C order", done.stdout.splitlines(), "exit status", done.returncode)
