"""torch: at a tie fmax sends the gradient to the first operand in reverse mode, and to the second in forward mode."""

import torch
from torch.autograd import forward_ad

print("torch", torch.__version__)
for name in ("fmax", "fmin", "maximum"):
    function = getattr(torch, name)
    x, y = (torch.tensor(1.5, dtype=torch.float64, requires_grad=True) for _ in range(2))
    function(x, y).backward()
    slopes = []
    for along in ((1.0, 0.0), (0.0, 1.0)):
        with forward_ad.dual_level():
            duals = [
                forward_ad.make_dual(a.detach(), a.new_tensor(t)) for a, t in zip((x, y), along, strict=True)
            ]
            slopes.append(forward_ad.unpack_dual(function(*duals)).tangent.item())
    print(f"{name}(1.5, 1.5): reverse mode {(x.grad.item(), y.grad.item())}, forward mode {tuple(slopes)}")
