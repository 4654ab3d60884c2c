"""torch 2.11: aminmax has no derivative; 2.13 has it."""

import torch

print("torch", torch.__version__)
x = torch.tensor([1.0, 3.0, 2.0], requires_grad=True)
try:
    low, high = torch.aminmax(x)
    (high - low).backward()
    print("the gradient of max - min is", x.grad.tolist())
except RuntimeError as error:
    print(f"RuntimeError: {error}")
