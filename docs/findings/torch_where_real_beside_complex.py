"""torch: where() of a real and a complex operand is computed, and its backward pass raises an internal error."""

import torch

print("torch", torch.__version__)
x = torch.tensor([1.0, 2.0], dtype=torch.float64, requires_grad=True)
y = torch.tensor([3.0 + 1.0j, 4.0 - 1.0j], dtype=torch.complex128, requires_grad=True)
for name, call in {"x + y": torch.add, "where(c, x, y)": lambda *xy: torch.where(xy[0] > 1, *xy)}.items():
    z = call(x, y)
    try:
        print(f"{name}: {z.dtype}, gradient of x:", torch.autograd.grad(z, x, torch.ones_like(z))[0])
    except RuntimeError as error:
        print(f"{name}: {z.dtype}, {type(error).__name__}: {error}")
