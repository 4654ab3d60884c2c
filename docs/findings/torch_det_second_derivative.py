"""torch.func: where a matrix has singular values twice, the derivative of the gradient of det is NaN, or another number."""

import torch

print("torch", torch.__version__)


def gradient(a):
    """Of det: the matrix of cofactors, [[d, -c], [-b, a]]."""
    return torch.func.vjp(torch.linalg.det, a)[1](torch.ones((), dtype=a.dtype))[0]


t = torch.tensor([[-1.25, 0.75], [1.5, -1.25]], dtype=torch.float64)
exact = [[-1.25, -1.5], [-0.75, -1.25]]
for rows in ([[2.0, 0.0], [0.0, 2.0]], [[1.0, 1.0], [1.0, -1.0]], [[3.875, -0.125], [0.125, 3.875]]):
    a = torch.tensor(rows, dtype=torch.float64)
    pushed = torch.func.jvp(gradient, (a,), (t,))[1]
    again = torch.func.vjp(gradient, a)[1](t)[0]
    x = a.clone().requires_grad_()
    (g,) = torch.autograd.grad(torch.linalg.det(x), x, create_graph=True)
    pulled = torch.autograd.grad(g, x, t)[0]
    print(
        f"at {rows}: pushed forward {pushed.tolist()}, pulled back {again.tolist()}, "
        f"on the tape {pulled.tolist()}, exact {exact}"
    )
