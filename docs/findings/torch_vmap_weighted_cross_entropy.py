"""torch: vmap over targets of cross_entropy with class weights and label smoothing raises: its mean selects by a mask."""

import torch
import torch.nn.functional as F

print("torch", torch.__version__)
x, targets, weight = torch.randn(5, 2, 3), torch.randint(3, (5, 2)), torch.tensor([0.5, 1.0, 3.0])
for smoothing in (0.0, 0.1):

    def loss(logits, target, smoothing=smoothing):
        """The loss of one batch."""
        return F.cross_entropy(logits, target, weight, label_smoothing=smoothing)

    try:
        print(smoothing, torch.vmap(loss)(x, targets).shape)
    except RuntimeError as error:
        print(smoothing, "RuntimeError:", str(error).splitlines()[0][:90])
