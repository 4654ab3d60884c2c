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
# renorm scales by 2 over the norm: the gradient of its tangent is not zero
with forward.dual_level():
    scaled = torch.renorm(forward.make_dual(x, torch.ones_like(x)), 1.0, 0, 2.0)
    tangent = forward.unpack_dual(scaled).tangent
    try:
        print("renorm:", torch.autograd.grad(tangent.sum(), x)[0].tolist())
    except RuntimeError as error:
        print(f"renorm: {str(error)[:150]}")
