"""torch: a custom rule that is compiled may give more gradients than there are operands, and loses what its Python does besides."""

import torch


def custom_product(calls):
    """A product with a rule of its own, which notes its calls."""

    class Product(torch.autograd.Function):
        @staticmethod
        def forward(a, b):
            return a * b

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.save_for_backward(*inputs)

        @staticmethod
        def backward(ctx, g):
            calls.append(1)
            a, b = ctx.saved_tensors
            return g * b, g * a, g  # a gradient too many

    return Product.apply


def attempt(wrap):
    """The gradients of the product, or how they are refused."""
    calls = []
    product = custom_product(calls)
    x, y = torch.ones(3, requires_grad=True), torch.ones(3, requires_grad=True)
    try:
        gradients = torch.autograd.grad(wrap(lambda a, b: product(a, b))(x, y).sum(), [x, y])
    except RuntimeError as error:
        return f"refused: {error}, calls: {len(calls)}"
    return f"accepted: {[g.tolist() for g in gradients]}, calls: {len(calls)}"


print("torch", torch.__version__)
print("eager:   ", attempt(lambda function: function))
print("compiled:", attempt(lambda function: torch.compile(function, backend="aot_eager")))
