"""torch on a GPU: where 70 000 entries tie in float16, each has a gradient of 0; on the CPU their sum is the upstream gradient."""

import torch

print("torch", torch.__version__)
for device in ("cpu", "cuda") if torch.cuda.is_available() else ("cpu",):
    x = torch.zeros(70_001, dtype=torch.float16, device=device, requires_grad=True)
    torch.amax(x, dim=0).backward(torch.tensor(-2.0, dtype=torch.float16, device=device))
    print(device, "expected a sum near -2, got", x.grad.double().sum().item())
if not torch.cuda.is_available():
    print("a GPU is needed to show more")
