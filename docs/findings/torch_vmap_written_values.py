"""torch: vmap of a write by index arrays around a None mixes the rows of a batch where the value is broadcast.

A value of shape (1, 1, 3) is written at `x[[0, 2], None, [1, 1]]`, whose shape is (2, 1, 3).
"""

import torch

rows, columns = torch.tensor([0, 2]), torch.tensor([1, 1])


def write(x, value):
    """A copy of x with the value written."""
    written = x.clone()
    written[rows, None, columns] = value
    return written


print("torch", torch.__version__)
x, value = torch.zeros(2, 3, 3, 3), torch.arange(6.0).reshape(2, 1, 1, 3).requires_grad_()
mapped = torch.vmap(write)(x, value)
looped = torch.stack([write(*pair) for pair in zip(x, value, strict=True)])
print("the values are the same:", torch.equal(mapped, looped))
cotangent = torch.arange(54.0).reshape(2, 3, 3, 3)
print("gradient, mapped:", torch.autograd.grad(mapped, value, cotangent)[0].flatten().tolist())
print("gradient, looped:", torch.autograd.grad(looped, value, cotangent)[0].flatten().tolist())
