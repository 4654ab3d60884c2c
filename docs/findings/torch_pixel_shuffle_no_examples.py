"""torch: of a batch without examples, the gradients of pixel_shuffle and pixel_unshuffle raise."""

import torch
import torch.nn.functional as F

print("torch", torch.__version__)
for call, shape in ((F.pixel_shuffle, (0, 4, 1, 1)), (F.pixel_unshuffle, (0, 1, 2, 2))):
    x = torch.zeros(shape, requires_grad=True)
    y = call(x, 2)
    try:
        y.sum().backward()
    except RuntimeError as error:
        print(call.__name__, "gives", tuple(y.shape), "and raises in the backward pass:", error)
    else:
        print(call.__name__, "gives", tuple(y.shape), "and a gradient of shape", tuple(x.grad.shape))
