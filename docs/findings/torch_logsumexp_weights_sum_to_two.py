"""torch: the weights of logsumexp do not sum to 1 where a large result has no digits left for log 2."""

import torch

print("torch", torch.__version__)
for dtype, size in ((torch.float32, 1e5), (torch.float32, 2.0**25), (torch.float64, 1e17)):
    x = torch.tensor([size, size], dtype=dtype, requires_grad=True)
    torch.logsumexp(x, 0).backward()
    print(f"logsumexp([{size:g}, {size:g}]) in {dtype}: got {x.grad.tolist()}, exact [0.5, 0.5]")
x = torch.tensor([1e17, 1e17], dtype=torch.float64, requires_grad=True)
torch.logcumsumexp(x, 0)[-1].backward()
print("logcumsumexp([1e17, 1e17])[-1]: got", x.grad.tolist(), "exact [0.5, 0.5]")
x = torch.tensor([2.0, 2.0], dtype=torch.float64, requires_grad=True)
torch.logsumexp(x, 0).backward()
print("logsumexp([2, 2]), of which the same function is a translation: got", x.grad.tolist())
