"""torch takes `vjp` in place of `backward` in a torch.autograd.Function, but not where the function is transformed."""

import torch


def made(name):
    """An op that is multiplied by three, whose rule has that name."""

    class Tripled(torch.autograd.Function):
        generate_vmap_rule = True

        @staticmethod
        def forward(x):
            return 3 * x

        @staticmethod
        def setup_context(ctx, inputs, output):
            pass

    setattr(Tripled, name, staticmethod(lambda ctx, g: 3 * g))
    return Tripled.apply


for name in ("backward", "vjp"):
    tripled = made(name)
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    tripled(x).sum().backward()
    print(name, "on the tape:", x.grad)  # 3, 3 by both
    try:
        print(name, "in torch.vmap:", torch.vmap(tripled)(x))
        print(name, "in torch.func:", torch.func.grad(lambda x, f=tripled: f(x).sum())(torch.ones(2)))
    except NotImplementedError as error:
        print(name, "in torch.func:", error)
