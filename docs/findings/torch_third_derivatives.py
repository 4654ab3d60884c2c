"""torch: third derivatives that are wrong, without an error, where first and second ones are right, beside differences of the second one."""

import torch
import torch.nn.functional as F

torch.set_default_dtype(torch.float64)
print("torch", torch.__version__)


def slope_along(function, u):
    """The derivative of a function along u, itself a function."""
    return lambda x: (torch.autograd.grad(function(x), x, create_graph=True)[0] * u).sum()


def compared(name, function, x, u):
    """Prints the gradient of the second derivative along u, and what differences of that derivative give."""
    x = x.clone().requires_grad_()
    second = slope_along(slope_along(function, u), u)
    (third,) = torch.autograd.grad(second(x), x)
    found = torch.empty_like(x)
    for place in range(x.numel()):
        step = torch.zeros(x.numel())
        step[place] = 1e-4
        step = step.reshape(x.shape)
        ends = [second((x + sign * step).detach().requires_grad_()) for sign in (1, -1)]
        found.view(-1)[place] = ((ends[0] - ends[1]) / 2e-4).detach()
    print(name, third.flatten()[:3].tolist(), "by differences", found.flatten()[:3].tolist())


torch.manual_seed(0)
x, u, g = (torch.randn(2, 3) for _ in range(3))
weight, bias = torch.randn(3), torch.randn(3)
compared("layer_norm", lambda x: (F.layer_norm(x, (3,), weight, bias) * g).sum(), x, u)
compared(
    "batch_norm",
    lambda x: (F.batch_norm(x, None, None, weight, bias, training=True, eps=0.1) * g).sum(),
    x,
    u,
)
compared("logcumsumexp", lambda x: (torch.logcumsumexp(x, 1) * g).sum(), x, u)
compared("tanh", lambda x: (torch.tanh(x) * g).sum(), x, u)
y, v, w = (torch.randn(2, 2, 3) for _ in range(3))
compared("instance_norm", lambda x: (F.instance_norm(x, eps=0.1) * w).sum(), y, v)
