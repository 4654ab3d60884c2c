"""torch: of a batch without examples pixel_unshuffle keeps the operand's shape, and the gradient of pixel_shuffle has the output's."""

import torch
import torch.nn.functional as F

print("torch", torch.__version__)
for call, shape, expected in (
    (F.pixel_shuffle, (0, 4, 1, 1), (0, 1, 2, 2)),
    (F.pixel_unshuffle, (0, 1, 2, 2), (0, 4, 1, 1)),
):
    x = torch.zeros(shape, requires_grad=True)
    y = call(x, 2)
    print(call.__name__, "of", shape, "gives", tuple(y.shape), "expected", expected)
    try:
        y.sum().backward()
    except RuntimeError as error:
        print("    and raises in the backward pass:", error)
