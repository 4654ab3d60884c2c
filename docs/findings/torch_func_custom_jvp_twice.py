"""torch.func: the tangent along an operand of the tangent that a custom jvp gives is zero."""

import torch
from torch.func import jvp


class Product(torch.autograd.Function):
    """a b."""

    generate_vmap_rule = True

    @staticmethod
    def forward(a, b):
        """The product."""
        return a * b

    @staticmethod
    def setup_context(ctx, inputs, output):
        """Keep the operands for jvp."""
        ctx.save_for_forward(*inputs)

    @staticmethod
    def jvp(ctx, s, t):
        """The tangent."""
        a, b = ctx.saved_tensors
        return s * b + a * t


print("torch", torch.__version__)
b, s, t = (torch.tensor(value, dtype=torch.float64) for value in (5.0, 1.0, 10.0))
for name, product in (("torch.mul", torch.mul), ("a custom jvp", Product.apply)):

    def tangent(a, product=product):
        """The tangent of a b along (s, t): s b + a t."""
        return jvp(product, (a, b), (s, t))[1]

    one = torch.tensor(1.0, dtype=torch.float64)
    _, second = jvp(tangent, (torch.tensor(2.0, dtype=torch.float64),), (one,))
    print(f"the derivative by a of s b + a t, which is t = 10, by {name}: {second.item()}")
