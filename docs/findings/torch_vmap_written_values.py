"""torch: vmap of a write by index arrays around a None or a slice mixes the rows where the value is broadcast.

A value of shape (1, 1, 3) is written at `x[[0, 2], None, [1, 1]]`, whose shape is (2, 1, 3), and one of shape (2, 2, 1),
which is captured, at `x[:, [0], ..., [1, 0]]`, whose shape is (2, 2, 2).
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


def write_between(x):
    """A copy of x with the captured value written."""
    written = x.clone()
    written[:, torch.tensor([0]), :, torch.tensor([1, 0])] = captured
    return written


captured, x = torch.arange(4.0).reshape(2, 2, 1), torch.zeros(2, 2, 1, 2, 3)
mapped, looped = torch.vmap(write_between)(x), torch.stack([write_between(row) for row in x])
print("the values between slices are the same:", torch.equal(mapped, looped))
