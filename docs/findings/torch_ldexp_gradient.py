"""torch: the gradient of ldexp is a power of two taken among integers: 0 for a negative exponent, and for a large one."""

import torch

print("torch", torch.__version__)
for n in (-3, 3, 70):
    x = torch.tensor(1.5, dtype=torch.float64, requires_grad=True)
    y = torch.ldexp(x, torch.tensor(n))
    y.backward()
    print(f"ldexp(1.5, {n}): value {y.item()}, gradient {x.grad.item()}, exactly {2.0**n}")
slope = torch.func.jvp(
    lambda x: torch.ldexp(x, torch.tensor(-3)), (torch.tensor(1.5),), (torch.tensor(1.0),)
)[1]
print("the tangent of ldexp(x, -3) along 1:", slope.item(), "exactly", 2.0**-3)
for dtype in (torch.int64, torch.int8):
    x = torch.tensor(1.5, requires_grad=True)
    torch.ldexp(x, torch.tensor(7, dtype=dtype)).backward()
    print(f"ldexp(1.5, 7) of an exponent of {dtype}: gradient {x.grad.item()}, exactly 128.0")
