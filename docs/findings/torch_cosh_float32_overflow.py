"""torch: in float32 cosh and sinh of 32 entries overflow from 88.73 on, of one entry where they should, from 89.42 on."""

import math

import torch

print("torch", torch.__version__)
for function in (torch.cosh, torch.sinh):
    exact = getattr(math, function.__name__)(89.0)
    for count in (1, 32):
        got = function(torch.full((count,), 89.0))[0].item()
        print(f"{function.__name__}(89) of {count} entries: got {got:.6g}, exact {exact:.6g}")
