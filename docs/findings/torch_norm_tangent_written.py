"""torch: the gradient of the tangent of a 1-norm raises, since the tangent is written in place; of other orders it is right."""

import torch
import torch.autograd.forward_ad as forward

print("torch", torch.__version__)
x = torch.tensor([[1.0, 2.0, 3.0]], dtype=torch.float64, requires_grad=True)
for order in (2.0, 1.0):
    with forward.dual_level():
        norm = torch.linalg.vector_norm(forward.make_dual(x, torch.ones_like(x)), order, dim=-1)
        tangent = forward.unpack_dual(norm).tangent
        try:
            print(f"order {order:g}:", torch.autograd.grad(tangent.sum(), x)[0].tolist())
        except RuntimeError as error:
            print(f"order {order:g}: {str(error)[:150]}")
print("expected for order 1: zeros")
