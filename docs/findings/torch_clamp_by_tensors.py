"""torch: the gradient of clamp's upper bound raises where the lower one is larger; below two equal bounds nothing receives it."""

import torch

print("torch", torch.__version__)
x, lower, upper = torch.tensor(0.5), torch.tensor([0.0, 1.0, 0.0]), torch.tensor(2.0)
for name, operand in (("x", x), ("lower", lower), ("upper", upper)):
    operand.requires_grad_()
    value = torch.clamp(x, lower, upper)
    try:
        value.sum().backward()
        print("the gradient of", name, "has shape", list(operand.grad.shape))
    except RuntimeError as error:
        print("the gradient of", name, "of", value.tolist(), "RuntimeError:", error)
    operand.requires_grad_(False)

operands = [torch.tensor(v, requires_grad=True) for v in (0.0, 1.0, 1.0)]
torch.clamp(*operands).backward()
print("clamp(0, 1, 1), the gradients of x and both bounds:", [a.grad.item() for a in operands])
primals, tangents = tuple(a.detach() for a in operands), tuple(map(torch.tensor, (0.0, 1.0, 1.0)))
print(
    "in forward mode, both bounds moved together:", torch.func.jvp(torch.clamp, primals, tangents)[1].item()
)
