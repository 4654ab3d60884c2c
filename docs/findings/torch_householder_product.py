"""torch: the gradient of householder_product divides by τ |v|² − 1: NaN where that is 0, digits lost beside; and its second tangents are wrong."""

import torch

print("torch", torch.__version__)


def product(a, tau):
    """The first column of I − τ v vᵀ, v = (1, a₁)."""
    return torch.linalg.householder_product(a, tau).sum()


def written_out(a, tau):
    """The sum of that column."""
    return 1 - tau[0] - tau[0] * a[1, 0]


for factor in (1.0, 1.0 + 1e-9, 0.5):
    for name, function in (("householder_product", product), ("written out        ", written_out)):
        a = torch.zeros(2, 1, dtype=torch.float64, requires_grad=True)
        tau = torch.tensor([factor], dtype=torch.float64, requires_grad=True)
        function(a, tau).backward()
        print(f"tau {factor}, {name}", a.grad.ravel().tolist(), tau.grad.tolist())

a, tau = torch.tensor([[0.0], [2.0], [1.0]], dtype=torch.float64), torch.tensor([0.7], dtype=torch.float64)
da, dtau = torch.tensor([[0.0], [1.0], [3.0]], dtype=torch.float64), torch.tensor([0.5], dtype=torch.float64)


def along(function, t):
    """The function along a line."""
    return function(a + t * da, tau + t * dtau)


def exact(a, tau):
    """The sum of the column, of three rows."""
    return 1 - tau[0] * (1 + a[1, 0] + a[2, 0])


zero, one = torch.zeros((), dtype=torch.float64), torch.ones((), dtype=torch.float64)
for name, function in (("householder_product", product), ("written out        ", exact)):

    def first(t, function=function):
        """The tangent."""
        return torch.func.jvp(lambda s: along(function, s), (t,), (one,))[1]

    print("second tangent,", name, torch.func.jvp(first, (zero,), (one,))[1].item())
