"""torch.cond in torch.vmap, by a condition of each row: rows of a second length are refused, with an internal error."""

import torch

print("torch", torch.__version__)


def chosen_by(w):
    """A function of a row, which captures w."""
    return lambda row: torch.cond(row.sum() > 0, lambda a: a * w, lambda a: a + w, (row,))


for length in (2, 3):
    w = torch.ones(length, requires_grad=True)
    x = torch.tensor([[1.0] * length, [-1.0] * length], requires_grad=True)
    try:
        print(length, torch.vmap(chosen_by(w))(x))  # [1, ...], [0, ...]
    except Exception as error:
        print(length, type(error).__name__, str(error)[:550])
