"""torch: torch.moveaxis with integers has no batching rule, though it is a view that vmap could batch."""

import torch

x = torch.arange(12.0).reshape(2, 3, 2)
print("torch", torch.__version__)
print("permute inside vmap", tuple(torch.vmap(lambda a: torch.permute(a, (1, 0)))(x).shape))
try:
    print("moveaxis inside vmap", tuple(torch.vmap(lambda a: torch.moveaxis(a, 0, 1))(x).shape))
except RuntimeError as error:
    print("moveaxis inside vmap raises", error)
