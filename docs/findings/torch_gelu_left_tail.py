"""torch: gelu on the left is x (1 + erf(x/√2))/2, in which digits cancel, and so is ndtr; erfc(−x/√2) keeps them; against mpmath."""

import mpmath
import torch
import torch.nn.functional as F

mpmath.mp.prec = 200
print("torch", torch.__version__)
for dtype, x in ((torch.float32, -2.75), (torch.float32, -5.0), (torch.float64, -5.0), (torch.float64, -8.0)):
    operand = torch.tensor(x, dtype=dtype, requires_grad=True)
    value = F.gelu(operand)
    (gradient,) = torch.autograd.grad(value, operand)
    share = mpmath.erfc(-mpmath.mpf(x) / mpmath.sqrt(2)) / 2
    slope = share + x * mpmath.exp(-(mpmath.mpf(x) ** 2) / 2) / mpmath.sqrt(2 * mpmath.pi)
    with_erfc = 0.5 * operand * torch.erfc(-operand * 0.5**0.5)
    print(dtype, x, "value: got", value.item(), "with erfc", with_erfc.item(), "exactly", float(x * share))
    print("    gradient: got", gradient.item(), "exactly", float(slope))
    probability = torch.special.ndtr(operand.detach())
    print("    ndtr: got", probability.item(), "exactly", float(share))
print("ndtr(-14.625): got", torch.special.ndtr(torch.tensor(-14.625, dtype=torch.float64)).item())
