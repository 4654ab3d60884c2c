"""torch: in float32 the logarithm of the gamma function is infinite a little before it overflows, and so is mvlgamma."""

import math

import torch

x = torch.tensor([4.07812e36])
print("largest float32:", torch.finfo(torch.float32).max)
print("math.lgamma(x):", math.lgamma(x.item()))
print("torch.lgamma(x):", torch.lgamma(x).item())
print("torch.special.multigammaln(x, 1):", torch.special.multigammaln(x, 1).item())
