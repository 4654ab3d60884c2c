"""torch.compile: a torch.autograd.Function of two operands, one of which torch.vmap does not map, is refused by an internal error."""

import torch


class Product(torch.autograd.Function):
    """The product of a and b."""

    generate_vmap_rule = True

    @staticmethod
    def forward(a, b):
        """Compute the product."""
        return a * b

    @staticmethod
    def setup_context(ctx, inputs, output):
        """Keep both operands."""
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx, g):
        """Return the gradients of both."""
        a, b = ctx.saved_tensors
        return g * b, g * a


def mapped(x, w):
    """Map a function that captures w over the rows of x."""
    return torch.vmap(lambda row: Product.apply(row, w))(x)


x, w = torch.ones(3, 2, requires_grad=True), torch.tensor([1.0, 2.0], requires_grad=True)
for name, function in (("eager", mapped), ("compiled", torch.compile(mapped, backend="eager"))):
    try:
        function(x, w).sum().backward()
        print(name, "w.grad", w.grad.tolist(), "expected [3.0, 3.0]")
    except Exception as error:
        print(name, type(error).__name__, str(error).partition(",")[0])
