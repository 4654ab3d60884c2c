"""torch: the gradient of clamp by tensors: of the upper bound it raises where the lower one has more axes than both others; below two equal bounds nothing receives it; at one bound the modes differ."""

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

limit = torch.tensor(1.0)
for name, bound in (("max", {"max": limit}), ("min", {"min": limit})):
    x = torch.tensor(1.0, requires_grad=True)
    torch.clamp(x, **bound).backward()
    _, slope = torch.func.jvp(
        lambda t, bound=bound: torch.clamp(t, **bound), (torch.tensor(1.0),), (torch.tensor(1.0),)
    )
    print(f"at {name} alone, a tensor: in reverse mode {x.grad.item()}, in forward mode {slope.item()}")
