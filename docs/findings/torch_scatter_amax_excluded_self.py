"""torch: scatter_reduce's amax without include_self shares its gradient with the entry that it leaves out, where that is as large."""

import torch

print("torch", torch.__version__)
index, values = torch.tensor([0, 0]), torch.tensor([3.0, 1.0])


def largest(left_out: float, v: torch.Tensor) -> torch.Tensor:
    """max(v), whatever is left out."""
    return torch.tensor([left_out]).scatter_reduce(0, index, v, "amax", include_self=False)


for left_out in (0.0, 3.0):
    print("left out", left_out, "value", largest(left_out, values).tolist(), "exactly [3]")
    print("  reverse mode", torch.func.jacrev(largest, 1)(left_out, values).tolist(), "exactly [[1, 0]]")
    print("  forward mode", torch.func.jacfwd(largest, 1)(left_out, values).tolist())
