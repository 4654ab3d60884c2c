"""torch: an LSTM of two precisions has a value, and its pullback raises: in torch.func in bfloat16, compiled beside float64."""

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

sequence = torch.ones(1, 1, 2, dtype=torch.float64, requires_grad=True)
start = (torch.ones(1, 1, 3), torch.ones(1, 1, 3))
singles = [torch.ones(shape) for shape in ((12, 2), (12, 3), (12,), (12,))]


def compiled_states(a):
    """The states of a sequence in float64, by weights in float32."""
    return torch.lstm(a, start, singles, True, 1, 0.0, True, False, False)[0]


value = torch.compile(compiled_states, backend="aot_eager_decomp_partition")(sequence)
print("compiled, a sequence in float64 beside weights in float32: a value in", value.dtype)
try:
    value.sum().backward()
    print("compiled: no exception")
except RuntimeError as error:
    print("compiled, backward: RuntimeError:", error)
