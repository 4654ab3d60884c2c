"""torch: the gradient of embedding_bag cannot be differentiated, in any mode."""

import torch
import torch.nn.functional as F

print("torch", torch.__version__)
for mode in ("sum", "mean", "max"):
    table = torch.tensor([[1.0, 2.0], [4.0, 3.0]], requires_grad=True)
    g = torch.ones(1, 2, requires_grad=True)
    z = F.embedding_bag(torch.tensor([[0, 1]]), table, mode=mode)
    try:
        (slope,) = torch.autograd.grad(z, table, g, create_graph=True)
        print(mode, torch.autograd.grad(slope.sum(), g)[0].tolist())
    except (RuntimeError, NotImplementedError) as error:
        print(mode, type(error).__name__, str(error).partition("\n")[0])
