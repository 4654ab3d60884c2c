"""torch: above 20 softplus is the identity in every precision: in float64 its slope is 2e-9 off there, 17 million units in the last place."""

import torch
from torch.nn.functional import softplus

print("torch", torch.__version__)
for value in (19.9, 20.1, 30.0):
    x = torch.tensor(value, dtype=torch.float64, requires_grad=True)
    softplus(x).backward()
    exact = torch.sigmoid(x).item()
    print(
        f"softplus({value}): gradient", x.grad.item(), "exact", exact, "ulp", (x.grad.item() - exact) / 2**-53
    )
