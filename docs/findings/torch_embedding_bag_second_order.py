"""torch: the gradient of embedding_bag cannot be differentiated, in any mode, nor that of the weights of its rows."""

import torch
import torch.nn.functional as F


def differentiate_twice(name, mode, weights, operand):
    """Print the derivative of a gradient by its cotangent, or what torch says."""
    table = torch.tensor([[1.0, 2.0], [4.0, 3.0]], requires_grad=True)
    g = torch.ones(1, 2, requires_grad=True)
    z = F.embedding_bag(torch.tensor([[0, 1]]), table, mode=mode, per_sample_weights=weights)
    try:
        (slope,) = torch.autograd.grad(z, table if operand is None else operand, g, create_graph=True)
        print(name, torch.autograd.grad(slope.sum(), g)[0].tolist())
    except (RuntimeError, NotImplementedError) as error:
        print(name, type(error).__name__, str(error).partition("\n")[0])


print("torch", torch.__version__)
for mode in ("sum", "mean", "max"):
    differentiate_twice(mode, mode, None, None)
weights = torch.tensor([[0.5, 2.0]], requires_grad=True)
differentiate_twice("weights", "sum", weights, weights)
