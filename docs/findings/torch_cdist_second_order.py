"""torch: the gradients of cdist and pdist have no gradient, though that of the same distances by vector_norm has one."""

import torch

print("torch", torch.__version__)
x = torch.tensor([[0.25, 0.125], [-1.0, 2.0]], dtype=torch.float64, requires_grad=True)
y = torch.tensor([[2.0, -1.0]], dtype=torch.float64)
for name, distances in (
    ("vector_norm", torch.linalg.vector_norm(x[:, None] - y, 3.0, dim=-1)),
    ("cdist", torch.cdist(x, y, p=3.0)),
    ("pdist", torch.nn.functional.pdist(x, p=3.0)),
):
    (gradient,) = torch.autograd.grad(distances.sum(), x, create_graph=True)
    try:
        print(name, torch.autograd.grad(gradient.square().sum(), x)[0].tolist())
    except (NotImplementedError, RuntimeError) as error:
        print(name, type(error).__name__, str(error)[:100])
