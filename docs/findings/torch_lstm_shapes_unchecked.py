"""torch: torch.lstm, which torch.nn.LSTM calls, does not look at the widths of its operands in float32: memory is corrupted, or a result comes."""

import subprocess
import sys

import torch

CALL = """
import torch
inputs, hidden = {inputs}, {hidden}
x = torch.ones(1, 1, inputs, requires_grad=True)
state = torch.zeros(1, 1, 3)
weights = [torch.ones(12, 2), torch.ones(12, hidden), torch.ones(12), torch.ones(12)]
for _ in range(50):
    y, _, _ = torch.lstm(x, (state, state), weights, True, 1, 0.0, True, False, False)
    y.sum().backward()
print("answered", y.flatten().tolist())
"""

print("torch", torch.__version__)
for what, inputs, hidden in (
    ("weights that fit", 2, 3),
    ("an input of width 3 for weights of width 2", 3, 3),
    ("a state of width 3 for weights of width 4", 2, 4),
):
    run = subprocess.run(
        [sys.executable, "-c", CALL.format(inputs=inputs, hidden=hidden)], capture_output=True, text=True
    )
    said = (run.stdout or run.stderr).strip().splitlines()
    print(f"{what}: exit code {run.returncode},", said[-1] if said else "")
