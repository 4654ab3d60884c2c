"""torch: the gradient of a product in float16 is infinite where the product is: it is the product over the operand."""

import torch

print("torch", torch.__version__)
x = [-11.125, 9.375, -11.75, -12.75, -2.75, -3.25]
for dtype in (torch.float64, torch.float16):
    leaf = torch.tensor(x, dtype=dtype, requires_grad=True)
    leaf.prod().backward(torch.tensor(0.25, dtype=dtype))
    print(dtype, leaf.grad.tolist(), "float16 ends at", torch.finfo(torch.float16).max)
