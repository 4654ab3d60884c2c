"""torch: sinh and cosh of several float64 entries are infinite from 709.8 on; of one entry, and in mathematics, not before 710.47."""

import math

import torch

print("torch", torch.__version__)
for x in (709.5, 710.0, 710.4):
    one, many = torch.tensor(x, dtype=torch.float64), torch.full((16,), x, dtype=torch.float64)
    for name in ("sinh", "cosh"):
        function = getattr(torch, name)
        print(
            f"{name}({x}): of 16 entries {function(many)[0].item():.4g}, of one {function(one).item():.4g}, "
            f"exactly {getattr(math, name)(x):.4g}"
        )
