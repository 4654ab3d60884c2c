"""torch: third derivatives at single places: of x ** y at exponent 1, of i1 and sinc at 0; and of det, by torch.func, everywhere."""

import torch

torch.set_default_dtype(torch.float64)
print("torch", torch.__version__)
for exponent in (1.0, 1.0 + 1e-9):
    x = torch.tensor(0.25, requires_grad=True)
    y = torch.tensor(exponent, requires_grad=True)
    (by_x,) = torch.autograd.grad(x**y, x, create_graph=True)
    (twice,) = torch.autograd.grad(by_x, x, create_graph=True)
    (mixed,) = torch.autograd.grad(twice, y)
    exact = 0.25 ** (exponent - 2) * (2 * exponent - 1 + exponent * (exponent - 1) * torch.log(x).item())
    print(f"y = {exponent}: d³(x**y)/dx²dy = {mixed.item()!r}, exactly {exact!r}")
for name, function, exact in (("i1", torch.special.i1, 3 / 8), ("sinc", torch.sinc, 0.0)):
    for place in (0.0, 1e-3):
        x = torch.tensor(place, requires_grad=True)
        slope = function(x)
        for _ in range(3):
            (slope,) = torch.autograd.grad(slope, x, create_graph=True)
        print(f"x = {place}: {name}‴ = {slope.item()!r}, exactly {exact} at 0")


def gradient(function):
    """Of a function of a matrix."""
    return lambda a: torch.func.vjp(function, a)[1](torch.ones(()))[0]


a = torch.tensor([[2.0, 0.5, 1.0], [1.0, 3.0, 0.25], [0.5, 0.75, 4.0]])
u = torch.tensor([[1.0, 2.0, 3.0], [0.0, 1.0, 2.0], [2.0, 0.0, 1.0]])
first = gradient(torch.linalg.det)
second = gradient(lambda x: (first(x) * u).sum())
third = gradient(lambda x: (second(x) * u).sum())
exact = 2 * torch.linalg.det(u) * torch.linalg.inv(u).T
print("det by torch.func:", third(a).flatten().tolist(), "exactly", exact.flatten().tolist())
