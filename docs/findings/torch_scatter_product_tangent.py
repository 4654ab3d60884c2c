"""torch: the tangent of scatter_reduce's product is 0, so that its second derivatives are wrong too where forward mode takes part."""

import torch

print("torch", torch.__version__)
x, values = torch.tensor([2.0]), torch.tensor([4.0, 3.0])


def product(v: torch.Tensor) -> torch.Tensor:
    """2 · v₀ · v₁."""
    return x.scatter_reduce(0, torch.tensor([0, 0]), v, "prod")


print("reverse mode", torch.func.jacrev(product)(values).tolist())
print("forward mode", torch.func.jacfwd(product)(values).tolist())
twice = torch.func.hessian(lambda v: product(v).sum())(values)
print("second derivative, forward over reverse", twice.tolist(), "exactly [[0, 2], [2, 0]]")
zeros = torch.zeros(2, requires_grad=True)
(gradient,) = torch.autograd.grad(product(zeros).sum(), zeros, create_graph=True)
try:
    gradient.sum().backward()
except RuntimeError as error:
    print("second derivative at several zeros:", error)
