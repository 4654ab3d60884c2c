"""torch: the second derivative of sinc at 0 is no number, where it is -pi²/3."""

import math

import torch

x = torch.tensor([0.0, 1e-3], dtype=torch.float64, requires_grad=True)
(gradient,) = torch.autograd.grad(torch.sinc(x).sum(), x, create_graph=True)
print("torch", torch.__version__)
print("at 0 and at 0.001:", torch.autograd.grad(gradient.sum(), x)[0].tolist(), "expected", -(math.pi**2) / 3)
