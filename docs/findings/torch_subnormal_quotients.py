"""torch: gradients of products are quotients, of subnormal numbers, which have few digits, or of one that overflows."""

import math

import torch
import torch.nn.functional as F

print("torch", torch.__version__)
small = -5.685067869765783e-42
base = torch.tensor([-2.125], dtype=torch.float32)
factors = torch.tensor([small, -1.125], dtype=torch.float32, requires_grad=True)
index = torch.tensor([0, 0])
torch.scatter_reduce(base, 0, index, factors, "prod", include_self=False).backward(torch.tensor([-3.0]))
print("product of two factors, by the first:  got", factors.grad[0].item(), "expected", 3 * 1.125)
half = torch.tensor([3.0] * 8, dtype=torch.float16, requires_grad=True)
ones = torch.ones(1, dtype=torch.float16)
torch.scatter_reduce(ones, 0, torch.zeros(8, dtype=torch.int64), half, "prod").backward(
    torch.tensor([12.0], dtype=torch.float16)
)
print("of eight factors 3, in float16:  got", half.grad[0].item(), "expected", 12 * 3.0**7)

target = torch.tensor([1.66357e-319], dtype=torch.float64, requires_grad=True)
x = torch.tensor([0.0], dtype=torch.float64)
g = 0.013240702
F.kl_div(x, target, reduction="sum").backward(torch.tensor(g, dtype=torch.float64))
print("kl_div by its target: got", target.grad.item(), "expected", g * (math.log(target.detach().item()) + 1))
