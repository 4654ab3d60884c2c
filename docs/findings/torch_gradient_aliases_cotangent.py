"""torch: a leaf's gradient shares memory with the gradient argument; the gradients of one call share it among themselves."""

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

a, b = torch.zeros(3, requires_grad=True), torch.zeros(3, requires_grad=True)
ga, gb = torch.autograd.grad(a + b, (a, b), torch.ones(3))
ga.fill_(7)
print("autograd.grad: add, gradient of b after writing that of a:", gb.tolist(), "expected [1, 1, 1]")

by_both = torch.func.grad_and_value(lambda a, b: ((a + b) * torch.ones(3)).sum(), argnums=(0, 1))
(ga, gb), _ = by_both(torch.zeros(3), torch.zeros(3))
ga.fill_(7)
print("func: grad_and_value, gradient of b after writing that of a:", gb.tolist(), "expected [1, 1, 1]")

structure = {"a": torch.zeros(3), "b": torch.zeros(3)}
found = torch.func.grad(lambda s: ((s["a"] + s["b"]) * torch.ones(3)).sum())(structure)
found["a"].fill_(7)
print(
    "func: grad of a dict, gradient of b after writing that of a:", found["b"].tolist(), "expected [1, 1, 1]"
)
