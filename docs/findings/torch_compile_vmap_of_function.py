"""torch.compile: what a torch.autograd.Function computes is differentiated under torch.vmap, and its rule lost; torch alone uses the rule."""

import torch


class Triple(torch.autograd.Function):
    """3x, by a rule that says 2."""

    generate_vmap_rule = True

    @staticmethod
    def forward(x):
        """Compute 3x."""
        return x + x + x

    @staticmethod
    def setup_context(ctx, inputs, output):
        """Keep nothing."""

    @staticmethod
    def backward(ctx, g):
        """Return 2g."""
        return g + g


def mapped(x):
    """Map a function that calls the rule over the rows."""
    return torch.vmap(lambda row: Triple.apply(row))(x)


for name, function in (("eager", mapped), ("compiled", torch.compile(mapped, backend="eager"))):
    leaf = torch.ones(3, requires_grad=True)
    function(leaf).sum().backward()
    print(name, "got", leaf.grad.tolist(), "expected [2.0, 2.0, 2.0]")
