"""torch: fill_diagonal_ with wrap raises for a tall matrix in the memory of a transposed one, which clone keeps."""

import torch

print("torch", torch.__version__)
for rows in (4, 6, 7, 8, 17):
    expected = torch.ones(rows, 2).fill_diagonal_(0.0, wrap=True)
    try:
        got = torch.ones(2, rows).T.clone().fill_diagonal_(0.0, wrap=True)
        print(
            (rows, 2),
            "as expected"
            if torch.equal(got, expected)
            else f"got {got.tolist()}, expected {expected.tolist()}",
        )
    except RuntimeError as error:
        print((rows, 2), "RuntimeError:", error)
