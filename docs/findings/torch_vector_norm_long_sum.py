"""torch: linalg.vector_norm of many entries adds them in few running sums, whose rounding errors add up."""

import math

import torch

print("torch", torch.__version__)
for order in (0.5, 1.5, 3.0):
    for count in (8, 1025, 16385):
        x = torch.full((count,), 0.875, dtype=torch.float64)
        exact = math.fsum([0.875**order] * count) ** (1 / order)
        by_sum = (x.abs() ** order).sum() ** (1 / order)
        errors = [
            abs(float(y) - exact) / math.ulp(exact) for y in (torch.linalg.vector_norm(x, order), by_sum)
        ]
        print(f"order {order}, {count} entries: off by {errors[0]:.0f} ulp; by torch.sum {errors[1]:.0f} ulp")
