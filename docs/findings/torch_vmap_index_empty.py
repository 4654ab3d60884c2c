"""torch.vmap of indexing by places that are mapped along their second axis fails where there are none, or swaps axes."""

import torch

print("torch", torch.__version__)
for examples in (2, 1):
    for count in (4, 0):
        rows = torch.arange(15.0 * examples).reshape(5, 3, examples)
        places = torch.zeros((count, examples), dtype=torch.int64)
        alone = torch.stack([rows[..., k][places[:, k]] for k in range(examples)])
        try:
            found = tuple(torch.vmap(lambda w, i: w[i], in_dims=-1)(rows, places).shape)
        except IndexError as error:
            found = error
        print(f"{examples} examples of {count} places: {found}, expected {tuple(alone.shape)}")
