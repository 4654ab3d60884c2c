"""torch: the largest of a bag passes a NaN over where it is not the bag's first row; torch.max does not, whatever the order."""

import torch

print("torch", torch.__version__)
weight = torch.tensor([[float("nan")], [2.0]])
for bag in ([0, 1], [1, 0]):
    largest = torch.nn.functional.embedding_bag(torch.tensor([bag]), weight, mode="max").item()
    print("rows", bag, "embedding_bag", largest, "max", weight[bag].max().item())
