"""torch: vmap of linalg.solve raises for a stack of matrices with one vector, which the call itself takes."""

import torch

print("torch", torch.__version__)
matrices, vector = torch.eye(2).expand(2, 1, 2, 2), torch.ones(2)
print("the call:", tuple(torch.linalg.solve(matrices, vector).shape))
for in_dims in ((0, 0), (0, None), (None, 0)):
    operands = [
        x if d is None else torch.stack([x] * 3) for x, d in zip((matrices, vector), in_dims, strict=True)
    ]
    try:
        print(f"in_dims={in_dims}:", tuple(torch.vmap(torch.linalg.solve, in_dims=in_dims)(*operands).shape))
    except RuntimeError as error:
        print(f"in_dims={in_dims}: {type(error).__name__}: {str(error).splitlines()[0]}")

# Where the batch is as long as the matrices, the vector is taken for a matrix, and nothing is raised.
matrices, vector = (
    torch.stack([torch.eye(2).expand(3, 2, 2), 2 * torch.eye(2).expand(3, 2, 2)]),
    torch.tensor([1.0, 3.0]),
)
mapped = torch.vmap(torch.linalg.solve, in_dims=(0, None))(matrices, vector)
loop = torch.stack([torch.linalg.solve(a, vector) for a in matrices])
print(f"two stacks of three matrices: {tuple(mapped.shape)}, in a loop {tuple(loop.shape)}")
