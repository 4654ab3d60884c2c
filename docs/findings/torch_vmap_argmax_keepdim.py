"""torch.vmap of argmax and argmin over all axes with keepdim: the result of each example has one axis, however many the example has."""

import torch

print("torch", torch.__version__)
x = torch.randn(2, 3, 4)
for function in (torch.argmax, torch.argmin, torch.amax):
    keeping = (
        {"dim": None, "keepdim": True} if function is not torch.amax else {"dim": (0, 1), "keepdim": True}
    )
    alone, mapped = function(x[0], **keeping), torch.vmap(lambda a, f=function, k=keeping: f(a, **k))(x)
    print(f"{function.__name__}: {tuple(alone.shape)} of one example, {tuple(mapped.shape)} of a batch of 2")
