"""torch: second derivatives are NaN, zero or wrong at points at which the function is smooth."""

import math

import torch
import torch.autograd.forward_ad as fwAD

D = torch.float64
INF = math.inf


def double(f, x):
    """Reverse over reverse: the derivative of the first entry's gradient."""
    a = torch.tensor(x, dtype=D, requires_grad=True)
    (first,) = torch.autograd.grad(f(a).sum(), a, create_graph=True)
    return torch.autograd.grad(first.flatten()[0], a, allow_unused=True)[0]


def over_forward(f, x):
    """Reverse over forward: the gradient of the tangent along the first entry."""
    a = torch.tensor(x, dtype=D, requires_grad=True)
    direction = torch.zeros_like(a).flatten()
    direction[0] = 1
    with fwAD.dual_level():
        tangent = fwAD.unpack_dual(f(fwAD.make_dual(a, direction.reshape(a.shape)))).tangent
    return torch.autograd.grad(tangent.sum(), a)[0]


def base(y):
    """A power as a function of its base."""
    return lambda x: torch.pow(x, torch.tensor(y, dtype=D))


def exponent(x):
    """A power as a function of its exponent."""
    return lambda y: torch.pow(torch.tensor(x, dtype=D), y)


def second(f, x):
    """A function as one of its second operand."""
    return lambda y: f(torch.tensor(x, dtype=D), y)


print("torch", torch.__version__)
for what, f, x, expected in (
    ("sinc at 0", torch.sinc, 0.0, -(math.pi**2) / 3),
    ("x^0 at 0", base(0.0), 0.0, 0.0),
    ("0^y at y=1", exponent(0.0), 1.0, 0.0),
    ("0^y at y=2", exponent(0.0), 2.0, 0.0),
    ("0^y at y=3", exponent(0.0), 3.0, 0.0),
    ("logaddexp(1000, y) at -1000", second(torch.logaddexp, 1000.0), -1000.0, 0.0),
    ("logaddexp2(2000, y) at -2000", second(torch.logaddexp2, 2000.0), -2000.0, 0.0),
    ("logaddexp(x, 0) at -inf", lambda x: torch.logaddexp(x, torch.tensor(0.0, dtype=D)), -INF, 0.0),
    ("mish at 1000", torch.nn.functional.mish, 1000.0, 0.0),
    ("det of zeros", torch.linalg.det, [[0.0, 0.0], [0.0, 0.0]], [[0, 0], [0, 1]]),
):
    print(f"reverse over reverse: {what}: got {double(f, x).tolist()}, expected {expected}")

for what, f, x, expected in (
    ("x^0 at 0", base(0.0), 0.0, 0.0),
    ("x^1 at 0", base(1.0), 0.0, 0.0),
    ("x^2 at 0", base(2.0), 0.0, 2.0),
    ("x^3 at 0", base(3.0), 0.0, 0.0),
    ("x^3 at -2", base(3.0), -2.0, -12.0),
    ("x^2 at -2", base(2.0), -2.0, 2.0),
    ("cumprod of 2, 0, 3", lambda x: torch.cumprod(x, 0), [2.0, 0.0, 3.0], [0, 4, 0]),
    ("cumprod of 0, 2, 3", lambda x: torch.cumprod(x, 0), [0.0, 2.0, 3.0], [0, 4, 2]),
    ("cumprod of 2, 3, 0", lambda x: torch.cumprod(x, 0), [2.0, 3.0, 0.0], [0, 1, 3]),
    ("det of the identity", torch.linalg.det, [[1.0, 0.0], [0.0, 1.0]], [[0, 0], [0, 1]]),
):
    print(f"reverse over forward: {what}: got {over_forward(f, x).tolist()}, expected {expected}")

for what, matrix in (
    ("the identity", [[1.0, 0.0], [0.0, 1.0]]),
    ("diag(1, 1, 0)", [[1.0, 0, 0], [0, 1.0, 0], [0, 0, 0]]),
):
    gradient = lambda a: torch.func.grad(torch.linalg.det)(a)[0, 0]  # noqa: E731
    got = torch.func.grad(gradient)(torch.tensor(matrix, dtype=D))
    print(f"torch.func.grad of torch.func.grad: det of {what}: got {got.tolist()}, where it is finite")

ONE = torch.ones(1, dtype=D)
for what, f, x, expected in (
    ("solve([[x]], [1]) at 2", lambda x: torch.linalg.solve(x, ONE), [[2.0]], 0.25),
    ("slogdet([[x]]) at -2", lambda x: torch.linalg.slogdet(x)[1], [[-2.0]], -0.25),
):
    try:
        print(f"reverse over forward: {what}: got {over_forward(f, x).tolist()}, expected {expected}")
    except RuntimeError as error:
        print(f"reverse over forward: {what}: RuntimeError: {error}")
