"""torch: in bfloat16 on the CPU, the gradient of what a long batch shares stops growing after 256 examples in some ops.

Each parameter below is shared by 4096 equal examples, each of which gives it a gradient of 1: the sum is 4096. Embeddings,
layer_norm, the weights of convolutions and, where they are dilated, their biases are summed in bfloat16, where 256 + 1 is
256 (layer_norm sums in as many parts as it has threads); linear and index_select sum in float32.
"""

import torch
import torch.nn.functional as F

MANY = 4096
BF16 = {"dtype": torch.bfloat16}


def show(name: str, shared: torch.Tensor, output: torch.Tensor) -> None:
    """Print the first entry of the gradient of what the examples share."""
    output.backward(torch.ones_like(output))
    assert shared.grad is not None
    print(f"{name:24} {shared.grad.flatten()[0].item():6} of {MANY}")


print("torch", torch.__version__)
rows = torch.zeros(MANY, 1, dtype=torch.int64)
for name in ("index_select", "embedding", "embedding_bag", "weighted_embedding_bag"):
    table = torch.ones(1, 1, **BF16).requires_grad_()
    calls = {
        "index_select": lambda table=table: table.index_select(0, rows[:, 0]),
        "embedding": lambda table=table: F.embedding(rows, table),
        "embedding_bag": lambda table=table: F.embedding_bag(rows, table, mode="sum"),
        "weighted_embedding_bag": lambda table=table: F.embedding_bag(
            rows, table, mode="sum", per_sample_weights=torch.ones(MANY, 1, **BF16)
        ),
    }
    show(name, table, calls[name]())

x = torch.tensor([[1.0, -1.0]], **BF16).repeat(MANY, 1)
bias = torch.zeros(2, **BF16).requires_grad_()
show("linear, bias", bias, F.linear(x, torch.ones(2, 2, **BF16), bias))
weight, bias = torch.ones(2, **BF16).requires_grad_(), torch.zeros(2, **BF16).requires_grad_()
show("layer_norm, weight", weight, F.layer_norm(x, (2,), weight, bias))
print("layer_norm, bias        ", f"{bias.grad[0].item():6} of {MANY}")

for axes in (1, 2, 3):
    for kind in ("conv", "conv_transpose"):
        name, one = f"{kind}{axes}d", (1,) * axes
        call = getattr(F, name)
        x, kernel = torch.ones(MANY, 1, *one, **BF16), torch.ones(1, 1, *one, **BF16)
        weight = kernel.clone().requires_grad_()
        show(f"{name}, weight", weight, call(x, weight, torch.zeros(1, **BF16)))
    x, kernel = (
        torch.ones(MANY, 1, *(2 * n for n in one), **BF16),
        torch.ones(1, 1, *(2 * n for n in one), **BF16),
    )
    bias = torch.zeros(1, **BF16).requires_grad_()
    show(
        f"conv{axes}d dilated, bias",
        bias,
        getattr(F, f"conv{axes}d")(x, kernel, bias, padding=1, dilation=2, stride=3),
    )
