"""torch: polygamma, zeta, i0, i1, lerp and (in float32, of several entries) gelu are NaN at an infinity, where they have a limit."""

import torch

i = torch.tensor(float("inf"), dtype=torch.float64)
one = torch.tensor(1.0, dtype=torch.float64)
print("polygamma(2, inf):", torch.special.polygamma(2, i).item(), "expected 0")
print("zeta(2, inf):", torch.special.zeta(2 * one, i).item(), "expected 0")
print("i0(inf):", torch.special.i0(i).item(), "expected inf")
print("i1(-inf):", torch.special.i1(-i).item(), "expected -inf")
print("lerp(-1, -inf, -1), which is -1 - (-inf + 1):", torch.lerp(-one, -i, -one).item(), "expected inf")
x = torch.full((16,), float("inf"))
print("gelu(inf) in float32:", torch.nn.functional.gelu(x)[0].item(), "expected inf")
