"""torch: one no_grad object that is entered inside of itself leaves recording off, silently; two objects, or a decorated function that calls itself, do not."""

import torch

print("torch", torch.__version__)
with torch.no_grad(), torch.no_grad():
    pass
print("after two scopes, one inside of the other, recording is on:", torch.is_grad_enabled())
scope = torch.no_grad()
with scope, scope:
    pass
print("after one that was entered inside of itself, recording is on:", torch.is_grad_enabled())
x = torch.tensor(2.0, requires_grad=True)
print("x * x requires a gradient:", (x * x).requires_grad)
