"""torch: the gradients of prod and cumprod are the product divided by the operand: lost where that underflows or overflows on the way."""

import torch

print("torch", torch.__version__)
entries = [1e-200, 1e-200, 1e200]
for name, product in (
    ("prod", torch.prod),
    ("cumprod", lambda x: torch.cumprod(x, 0)[2]),
    ("x0 * x1 * x2", lambda x: x[0] * x[1] * x[2]),
):
    x = torch.tensor(entries, dtype=torch.float64, requires_grad=True)
    product(x).backward()
    print(f"{name}: got", x.grad.tolist(), "exact", [1.0, 1.0, 0.0])
x = torch.tensor([1e200, 1e200, 1e-300], dtype=torch.float64, requires_grad=True)
torch.prod(x).backward()
print("prod", x.tolist(), "gradient", x.grad.tolist(), "exact", [1e-100, 1e-100, "inf"])
