"""torch: multi_margin_loss has no second derivative, though its square has a curvature."""

import torch
import torch.nn.functional as F

print("torch", torch.__version__)
x, target = torch.tensor([[2.0, 1.5]], requires_grad=True), torch.tensor([0])
(gradient,) = torch.autograd.grad(F.multi_margin_loss(x, target, p=2), x, create_graph=True)
print("gradient", gradient.tolist())
try:
    print("second derivative", torch.autograd.grad(gradient[0, 0], x)[0].tolist(), "expected [[1, -1]]")
except RuntimeError as error:
    print("second derivative: RuntimeError:", error, "- expected [[1, -1]]")

(gradient,) = torch.autograd.grad(F.multilabel_margin_loss(x, torch.tensor([[0, -1]])), x, create_graph=True)
try:
    print(
        "of multilabel_margin_loss", torch.autograd.grad(gradient[0, 0], x)[0].tolist(), "expected [[0, 0]]"
    )
except RuntimeError as error:
    print("of multilabel_margin_loss: RuntimeError:", error, "- expected [[0, 0]]")
