"""torch: a backward that an exception ends has already filled some leaves; the others keep what they had."""

import torch


class Raises(torch.autograd.Function):
    """Doubles; its rule raises."""

    @staticmethod
    def forward(ctx, x):
        """The value."""
        return x + x

    @staticmethod
    def backward(ctx, g):
        """The rule."""
        raise ValueError("raised inside a rule")


print("torch", torch.__version__)
x, w = (torch.ones(3, requires_grad=True) for _ in range(2))
(x * w).sum().backward()
print("before:", x.grad.tolist(), w.grad.tolist())
try:
    (Raises.apply(x) + w).sum().backward()
except ValueError as error:
    print("ValueError:", error)
print("after: ", x.grad.tolist(), w.grad.tolist(), "expected both unchanged")
