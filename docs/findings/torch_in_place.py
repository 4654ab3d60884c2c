"""torch: operations in place whose gradients are wrong, or lost under vmap, where those of the same functions are right."""

import torch
import torch.autograd.forward_ad as fwAD
import torch.nn.functional as F

one = torch.tensor([1.0 + 2.0j], dtype=torch.complex128)


def silu(z):
    """Its definition."""
    return z / (1 + torch.exp(-z))


def gradient(function, x):
    """By the tape, for a cotangent of ones."""
    leaf = x.clone().requires_grad_()
    return torch.autograd.grad(function(leaf), leaf, torch.ones_like(x))[0]


print("silu of complex numbers")
print("  in place      ", gradient(lambda z: F.silu(z.clone(), inplace=True), one))
print("  written out   ", gradient(silu, one))  # the conjugate of the other
try:
    gradient(F.silu, one)
except RuntimeError as refusal:
    print("  not in place  ", refusal)

x = torch.tensor([-40.0], dtype=torch.float64)
print("elu at -40")
print("  in place      ", gradient(lambda x: F.elu(x.clone(), inplace=True), x))  # 0
print("  not in place  ", gradient(F.elu, x))  # exp(-40) = 4.2e-18

a, b = torch.tensor([3.0, 2.0]), torch.tensor([4.0, 3.0])
for name in ("hypot_", "pow_"):
    p, q = a.clone().requires_grad_(), b.clone().requires_grad_()
    try:
        print(
            name,
            torch.autograd.grad(
                torch.vmap(lambda x, y, name=name: getattr(x.clone(), name)(y))(p, q).sum(), (p, q)
            ),
        )
    except RuntimeError as refusal:
        print(f"{name} under vmap:", str(refusal)[:90])
rows = torch.ones(2, 3, requires_grad=True)
try:
    torch.vmap(lambda x: x.clone().cumprod_(0))(rows).sum().backward()
except RuntimeError as refusal:
    print("cumprod_ under vmap:", str(refusal)[:90])

with fwAD.dual_level():
    dual = fwAD.make_dual(torch.tensor([2.0, 3.0]), torch.ones(2))
    index, values = torch.tensor([0, 1]), torch.tensor([5.0, 7.0])
    try:
        print(fwAD.unpack_dual(dual.clone().scatter_reduce_(0, index, values, "prod")).tangent)
    except RuntimeError as refusal:
        print("forward mode of scatter_reduce_ by products:", str(refusal)[:90])
    try:
        print(fwAD.unpack_dual(dual.scatter_reduce(0, index, values, "prod")).tangent)
    except RuntimeError as refusal:
        print("not in place:", str(refusal)[:90])
