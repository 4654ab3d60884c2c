"""torch: gradients that are small and not zero are rounded to zero, by formulas that lose them."""

import math

import torch

D = torch.float64
HUGE = 2.0**960


def slope(f, x):
    """Reverse mode."""
    a = torch.tensor(x, dtype=D, requires_grad=True)
    f(a).backward()
    return a.grad.item()


print("torch", torch.__version__)
print("asinh at 2^960: got", slope(torch.asinh, HUGE), "expected", 1 / HUGE)
print("acosh at 2^960: got", slope(torch.acosh, HUGE), "expected", 1 / HUGE)
print("expm1 at -40: got", slope(torch.expm1, -40.0), "expected", math.exp(-40))
entropy = lambda x: torch.nn.functional.binary_cross_entropy_with_logits(x, torch.tensor(0.0, dtype=D))  # noqa: E731
print("cross-entropy of the logit -40, target 0: got", slope(entropy, -40.0), "expected", math.exp(-40))
_, pulled = torch.func.vjp(entropy, torch.tensor(-40.0, dtype=D))
print("the same by torch.func.vjp: got", pulled(torch.tensor(1.0, dtype=D))[0].item())
gelu = torch.nn.functional.gelu
tail = math.erfc(9 / math.sqrt(2)) / 2 - 9 * math.exp(-81 / 2) / math.sqrt(2 * math.pi)
print("gelu at -9: got", slope(gelu, -9.0), "expected", tail)
far = 3 * 2.0**49  # the quotient's rule is a difference of two numbers that agree but for rounding
print("softsign far out: got", slope(torch.nn.functional.softsign, far), "expected", (1 + far) ** -2)
