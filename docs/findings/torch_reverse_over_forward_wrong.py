"""torch: either mode over forward mode gives a wrong second derivative where a formula uses what its forward saved.

All orders differentiate the same function twice along the same direction; torch raises nothing.
"""

import torch
import torch.nn.functional as F
from torch.autograd import forward_ad

torch.manual_seed(0)
matrix = torch.randn(3, 3, dtype=torch.float64) + 4 * torch.eye(3, dtype=torch.float64)
along = torch.randn(3, 3, dtype=torch.float64)
right = torch.ones(3, 1, dtype=torch.float64)
print("torch", torch.__version__)


def over_reverse(function, x):
    """The gradient of ⟨along, gradient⟩."""
    x = x.clone().requires_grad_()
    (gradient,) = torch.autograd.grad(function(x).sum(), x, create_graph=True)
    return torch.autograd.grad((gradient * along).sum(), x)[0]


def over_forward(function, x):
    """The gradient of the tangent, on the tape."""
    x = x.clone().requires_grad_()
    with forward_ad.dual_level():
        tangent = forward_ad.unpack_dual(function(forward_ad.make_dual(x, along))).tangent
    return torch.autograd.grad(tangent.sum(), x)[0]


def func_over_forward(function, x):
    """The gradient of the tangent, by function transforms."""
    return torch.func.grad(lambda a: torch.func.jvp(function, (a,), (along,))[1].sum())(x)


def twice_forward(function, x):
    """The tangent of the tangent, by function transforms: a number for all entries, ⟨along, gradient of the tangent⟩."""
    push = lambda a: torch.func.jvp(function, (a,), (along,))[1].sum()  # noqa: E731
    return torch.func.jvp(push, (x,), (along,))[1]


for name, function in (
    ("det", torch.linalg.det),
    ("slogdet", lambda x: torch.linalg.slogdet(x)[1]),
    ("logdet", lambda x: torch.logdet(x)),
    ("solve", lambda x: torch.linalg.solve(x, right)),
    ("tensorsolve", lambda x: torch.linalg.tensorsolve(x, right[:, 0])),
    ("layer_norm", lambda x: F.layer_norm(x, (3,)) ** 3),
    ("batch_norm", lambda x: F.batch_norm(x, None, None, training=True) ** 3),
):
    for mode, order in (
        ("reverse", over_reverse),
        ("forward", over_forward),
        ("func", func_over_forward),
    ):
        try:
            print(
                f"{name:10} reverse over {mode:8}",
                [round(v, 6) for v in order(function, matrix)[0].tolist()],
            )
        except RuntimeError as error:
            print(f"{name:10} reverse over {mode:8}", "RuntimeError:", str(error)[:70])
    expected = (over_reverse(function, matrix) * along).sum()
    print(
        f"{name:10} forward over forward: {twice_forward(function, matrix):.6f}, over reverse: {expected:.6f}"
    )
