"""torch: where() of a real and a complex operand, and a real number written into complex ones, are computed, and their backward passes raise an internal error."""

from collections.abc import Callable

import torch


def written(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """The complex tensor, with a real number written into all of it."""
    z = y.clone()
    z[:] = x[0]
    return z


print("torch", torch.__version__)
x = torch.tensor([1.0, 2.0], dtype=torch.float64, requires_grad=True)
y = torch.tensor([3.0 + 1.0j, 4.0 - 1.0j], dtype=torch.complex128, requires_grad=True)
calls: dict[str, Callable[[torch.Tensor, torch.Tensor], torch.Tensor]] = {
    "x + y": torch.add,
    "where(c, x, y)": lambda x, y: torch.where(x > 1, x, y),
    "z[:] = x[0]": written,
}
for name, call in calls.items():
    z = call(x, y)
    try:
        print(f"{name}: {z.dtype}, gradient of x:", torch.autograd.grad(z, x, torch.ones_like(z))[0])
    except RuntimeError as error:
        print(f"{name}: {z.dtype}, {type(error).__name__}: {error}")
