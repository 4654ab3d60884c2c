"""PyTorch: erf of bfloat16 loses digits below 1e-4, and is 0 below 1e-7."""

import torch

for number in (1e-3, 1e-5, 1e-7, 1e-20):
    x = torch.tensor(number, dtype=torch.bfloat16)
    expected = torch.erf(x.float()).item()
    print(f"erf({x.item():.4g}) of bfloat16: got {torch.erf(x).item():.4g}, expected {expected:.4g}")
