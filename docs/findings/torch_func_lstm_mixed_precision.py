"""torch: an LSTM in bfloat16 whose cell state is float32 has a value and gradients; in torch.func the pullback of the same call raises."""

import torch

print("torch", torch.__version__)
x, h = torch.ones(2, 2, 2, dtype=torch.bfloat16), torch.ones(1, 2, 1, dtype=torch.bfloat16)
weights = [torch.ones(shape, dtype=torch.bfloat16) for shape in ((4, 2), (4, 1), (4,), (4,))]
cell = torch.ones(1, 2, 1, requires_grad=True)


def states(c):
    """The states of one layer in one direction."""
    return torch.lstm(x, (h, c), weights, True, 1, 0.0, True, False, False)[0]


states(cell).sum().backward()
print("backward: the gradient of the cell state is", cell.grad.dtype, cell.grad.flatten().tolist())
try:
    value, pullback = torch.func.vjp(states, cell.detach())
    pullback(torch.ones_like(value))
    print("torch.func.vjp: no exception")
except RuntimeError as error:
    print("torch.func.vjp: RuntimeError:", error)
