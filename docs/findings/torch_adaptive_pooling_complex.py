"""torch: of complex images adaptive_avg_pool2d has no gradient: without images it says so, of one or more it refuses the value already."""

import torch
import torch.nn.functional as F

print("torch", torch.__version__)
for count in (0, 1):
    x = torch.ones(count, 2, 2, 3, dtype=torch.complex128, requires_grad=True)
    try:
        z = F.adaptive_avg_pool2d(x, (2, 2))
        print(f"{count} images: a value of shape {tuple(z.shape)}")
        z.abs().sum().backward()
    except (RuntimeError, NotImplementedError) as refusal:
        print(f"{count} images:", str(refusal).splitlines()[0])
