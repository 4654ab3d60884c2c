"""torch: a score that is NaN costs nothing in multi_margin_loss and multilabel_margin_loss; other losses are NaN there."""

import torch
from torch.nn.functional import cross_entropy, hinge_embedding_loss, multi_margin_loss, multilabel_margin_loss

print("torch", torch.__version__)
scores, one = torch.tensor([[float("nan"), 0.25, 0.5]]), torch.tensor([1])
print("multi_margin_loss:     ", multi_margin_loss(scores, one).item())
print("multilabel_margin_loss:", multilabel_margin_loss(scores, torch.tensor([[1, -1, 0]])).item())
print("hinge_embedding_loss:  ", hinge_embedding_loss(scores, torch.ones(1, 3)).item())
print("cross_entropy:         ", cross_entropy(scores, one).item())
