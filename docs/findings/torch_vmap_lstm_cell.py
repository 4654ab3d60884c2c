"""torch: lstm_cell has no batching rule, so that vmap of it raises."""

import torch

print("torch", torch.__version__)
x, h = torch.ones(5, 2, 3), torch.ones(5, 2, 2)
weights = torch.ones(8, 3), torch.ones(8, 2), torch.ones(8), torch.ones(8)
print(
    "a loop:", len([torch.lstm_cell(xs, (hs, hs), *weights) for xs, hs in zip(x, h, strict=True)]), "states"
)
try:
    torch.vmap(lambda x, h: torch.lstm_cell(x, (h, h), *weights))(x, h)
    print("vmap: the same")
except RuntimeError as error:
    print("vmap: RuntimeError:", error)
