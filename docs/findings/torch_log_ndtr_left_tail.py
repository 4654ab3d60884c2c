"""torch: the gradient of log_ndtr is the exponential of two large numbers' difference on the left, where erfcx keeps the digits."""

import mpmath
import torch

mpmath.mp.prec = 200
print("torch", torch.__version__)
for dtype, x in (
    (torch.float32, -100.0),
    (torch.float32, -1000.0),
    (torch.float64, -14.625),
    (torch.float64, -1e8),
):
    operand = torch.tensor(x, dtype=dtype, requires_grad=True)
    (gradient,) = torch.autograd.grad(torch.special.log_ndtr(operand), operand)
    with_erfcx = (2 / torch.pi) ** 0.5 / torch.special.erfcx(-operand * 0.5**0.5)
    u = -mpmath.mpf(x) / mpmath.sqrt(2)
    # far out by the asymptotic series of erfc
    exact = (
        mpmath.sqrt(2 / mpmath.pi) * mpmath.exp(-(u**2)) / mpmath.erfc(u)
        if u < 1e3
        else -mpmath.mpf(x) - 1 / mpmath.mpf(x)
    )
    print(dtype, x, "got", gradient.item(), "with erfcx", with_erfcx.item(), "exactly", float(exact))
