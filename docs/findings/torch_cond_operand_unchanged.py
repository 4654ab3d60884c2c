"""A branch of torch.cond may not return its operand unchanged: that is refused, as an alias."""

import torch

print("torch", torch.__version__)
x = torch.tensor([1.0, 2.0], requires_grad=True)
try:
    print(torch.cond(torch.tensor(True), lambda a: a, lambda a: a * 2, (x,)))  # x
except Exception as error:
    print(type(error).__name__, str(error)[:300])
