"""torch.autograd.functional.jvp differentiates a gradient by its cotangent, and is NaN where torch.func.jvp is right."""

import torch

print("torch", torch.__version__)
three = torch.full((3,), 0.5, dtype=torch.float64)
for name, function, x, tangent in (
    ("std of equal entries", torch.std, three, torch.tensor([1.0, -2.0, 0.5], dtype=torch.float64)),
    ("x ** 0 at 0", lambda x: x ** torch.zeros_like(x), torch.zeros(1), torch.ones(1)),
    ("the 3-norm at 0", lambda x: torch.linalg.vector_norm(x, 3), torch.zeros(2), torch.ones(2)),
):
    twice = torch.autograd.functional.jvp(function, x, tangent)[1]
    print(
        name,
        "- by functional.jvp:",
        twice,
        "by torch.func.jvp:",
        torch.func.jvp(function, (x,), (tangent,))[1],
    )
