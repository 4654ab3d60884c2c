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
