"""torch: the gradient of batch_norm's input is wrong where the weight is not contiguous: its buffer is read without strides."""

import torch
import torch.nn.functional as F

x = torch.tensor(
    [[-1.125, -2.75, -2.5], [-2.875, -1.875, 1.875], [0.875, 2.375, 0.0], [0.625, 2.75, 1.375]],
    dtype=torch.float64,
)
g = torch.tensor(
    [[-2.25, 0.25, -1.25], [-2.75, -1.75, -0.25], [-2.5, -2.25, -2.75], [-0.75, -0.5, 2.75]],
    dtype=torch.float64,
)
strided = torch.tensor([0.75, 0.0, 0.25, 0.0, 0.375, 0.0], dtype=torch.float64)[::2]
print("torch", torch.__version__)
statistics = torch.zeros(3, dtype=torch.float64), torch.ones(3, dtype=torch.float64)
for mode, given, is_training in (("training", (None, None), True), ("evaluation", statistics, False)):
    for name, weight in (("contiguous", strided.contiguous()), ("strided", strided)):
        leaf = x.clone().requires_grad_()
        F.batch_norm(leaf, *given, weight, None, training=is_training).backward(g)
        print(
            f"{mode:10} {name:10} weight {weight.tolist()}: gradient of the first row", leaf.grad[0].tolist()
        )
