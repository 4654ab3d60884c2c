"""torch: a leaf's gradient shares memory with the gradient argument; torch.func's gradients share it among themselves."""

import torch

x = torch.zeros(3, requires_grad=True)
g = torch.ones(3, 1)
x.reshape(3, 1).backward(g)
g.fill_(7)
print(
    "torch",
    torch.__version__,
    "tape: reshape, x.grad after g.fill_(7):",
    x.grad.tolist(),
    "expected [1, 1, 1]",
)

_, pullback = torch.func.vjp(lambda x: x, torch.zeros(3))
g = torch.ones(3)
(gradient,) = pullback(g)
g.fill_(7)
print("func: the identity, its gradient after g.fill_(7):", gradient.tolist(), "expected [1, 1, 1]")

a, b = torch.zeros(3), torch.zeros(3)
_, pullback = torch.func.vjp(torch.add, a, b)
ga, gb = pullback(torch.ones(3))
ga.fill_(7)
print("func: add, gradient of b after writing that of a:", gb.tolist(), "expected [1, 1, 1]")
