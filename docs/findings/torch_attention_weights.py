"""torch on the CPU: the backward pass of attention computes the weights anew as exp(score - logsumexp), whose digits a large score takes."""

import torch
import torch.nn.functional as F

print("torch", torch.__version__)
q = torch.full((1, 1, 1, 4), -32.0)
k = torch.full((1, 1, 2, 4), 256.0)
k[..., 1, 0] += 0.3125
v = torch.zeros(1, 1, 2, 1, requires_grad=True)
F.scaled_dot_product_attention(q, k, v).sum().backward()
weights = torch.softmax(q @ k.mT / 2, -1)
print("scores                        ", (q @ k.mT / 2).ravel().tolist())
print("weights, their gradient of v  ", v.grad.ravel().tolist(), "sum", v.grad.sum().item())
print("softmax of the scores         ", weights.ravel().tolist(), "sum", weights.sum().item())
