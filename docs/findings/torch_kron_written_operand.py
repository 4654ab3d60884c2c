"""torch.kron: an operand that is written in place after it was saved changes the gradient, without an error."""

import torch

print("torch", torch.__version__)
for name, product in (("kron", torch.kron), ("outer", torch.outer)):
    x, y = (torch.tensor([2.0], requires_grad=True) for _ in range(2))
    taken = x * 1
    z = product(taken, y).sum()
    taken.fill_(7.0)  # y's gradient is x = 2
    try:
        z.backward()
        print(f"{name}: y's gradient is {y.grad.item()}, x was 2.0 when {name} was called")
    except RuntimeError as error:
        print(f"{name}: refused: {str(error)[:80]} ...")
