"""torch: the gradient of sinc cancels near 0; the true slope is -pi^2 x / 3 there."""

import math

import torch

print("torch", torch.__version__)
for x in (1e-2, 1e-4, 1e-6, 1e-8, 1e-9):
    t = torch.tensor(x, dtype=torch.float64, requires_grad=True)
    torch.sinc(t).backward()
    u = math.pi * x
    exact = math.pi * (-u / 3 + u**3 / 30 - u**5 / 840)
    print(
        f"x = {x:g}: got {t.grad.item():.17g} expected {exact:.17g} relative error {abs(t.grad.item() / exact - 1):.1e}"
    )
