"""torch: grid_sample at NaN is the value at -1, as its documentation says, and so a finite number."""

import torch

print("torch", torch.__version__)
image = torch.arange(9.0).reshape(1, 1, 3, 3)
for place in (float("nan"), -1.0):
    grid = torch.tensor([[[[place, 0.0]]]])
    sampled = torch.nn.functional.grid_sample(image, grid, padding_mode="border", align_corners=False)
    print("at", place, "value", sampled.item())
