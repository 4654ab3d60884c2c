"""torch: forward mode is wrong at points at which reverse mode is right, or is wrong in another way."""

import torch
import torch.autograd.forward_ad as fwAD

D = torch.float64


def tangent(f, x, direction):
    """Dual numbers."""
    with fwAD.dual_level():
        return fwAD.unpack_dual(
            f(fwAD.make_dual(torch.tensor(x, dtype=D), torch.tensor(direction, dtype=D)))
        ).tangent


def gradient(f, x):
    """Reverse mode."""
    a = torch.tensor(x, dtype=D, requires_grad=True)
    f(a).sum().backward()
    return a.grad


def entropy(target):
    """The cross-entropy of a probability."""
    return lambda p: torch.nn.functional.binary_cross_entropy(p, torch.tensor(target, dtype=D))


print("torch", torch.__version__)
small = 2.0**-958
atan2 = lambda y: torch.atan2(y, torch.tensor(small, dtype=D))  # noqa: E731
for what, f, x, expected in (
    ("atan2(y, 2^-958) at 2^-958", atan2, small, 0.5 / small),
    ("binary cross-entropy of p = 0, target 0", entropy(0.0), 0.0, 1.0),
    ("binary cross-entropy of p = 1, target 1", entropy(1.0), 1.0, -1.0),
):
    forward, reverse = tangent(f, x, 1.0).item(), gradient(f, x).item()
    print(f"{what}: forward {forward}, reverse {reverse}, expected {expected}")

scan = lambda x: torch.logcumsumexp(x, 0)  # noqa: E731
for x in ([2.0, 2.0], [0.3, 0.2]):
    first = tangent(scan, x, [1.0, 0.0])[0].item()
    print(f"logcumsumexp of {x}: the first output is the first entry, its slope {first!r}, not 1")

for what, matrix, expected in (
    ("[[1, 2], [2, 4]]", [[1.0, 2.0], [2.0, 4.0]], 4.0),
    ("diag(1, 1, 0), last entry", [[1.0, 0, 0], [0, 1.0, 0], [0, 0, 0]], 1.0),
):
    a = torch.tensor(matrix, dtype=D)
    direction = torch.zeros_like(a)
    direction[(0, 0) if expected == 4 else (2, 2)] = 1
    _, pushed = torch.func.jvp(torch.linalg.det, (a,), (direction,))
    print(f"torch.func.jvp of det of {what}: got {pushed.item()}, expected {expected}")
norms = lambda x: torch.nn.functional.lp_pool1d(x, 2.0, 2)  # noqa: E731
zeros = [[[0.0, 0.0]]]
forward, reverse = tangent(norms, zeros, [[[1.0, 0.0]]]), gradient(norms, zeros)
print(f"lp_pool1d of zeros along one of them: forward {forward.tolist()}, reverse {reverse.tolist()}")
zero = tangent(torch.linalg.det, [[0.0]], [[1.0]]).item()
print(f"dual numbers through det of [[0]]: got {zero}, expected 1.0, since det of [[x]] is x")
