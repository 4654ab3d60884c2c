"""torch.func: the tangent of a tangent of binary_cross_entropy_with_logits raises."""

import torch
from torch.func import jvp

print("torch", torch.__version__)
one = torch.ones((), dtype=torch.float64)


def tangent(x):
    """The loss's tangent along one."""
    loss = torch.nn.functional.binary_cross_entropy_with_logits
    return jvp(lambda a: loss(a, one, reduction="sum"), (x,), (one,))[1]


for value in (0.5, 1000.0):
    x = torch.tensor(value, dtype=torch.float64)
    try:
        print(f"at {value:g}: {jvp(tangent, (x,), (one,))[1]}")
    except RuntimeError as error:
        print(f"at {value:g}: RuntimeError: {error}")
