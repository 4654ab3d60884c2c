"""torch.linalg.cond: of a stack without matrices the value needs no gradient, so that backward raises."""

import torch

x = torch.zeros((0, 3, 2), requires_grad=True)
for name, function in (("cond", torch.linalg.cond), ("matrix_norm", torch.linalg.matrix_norm)):
    print(name, "requires_grad:", function(x).requires_grad)
