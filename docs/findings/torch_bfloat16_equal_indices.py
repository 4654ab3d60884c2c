"""torch: a gradient that many equal indices share is summed in bfloat16, one by one on the CPU: it stops growing at 256.

In float16 it stops at 2048. torch.gather's gradient of the same indices is right.
"""

import torch

print("torch", torch.__version__)
rows = torch.full((4096,), 1)
CALLS = {
    "take, torch.index_select": lambda x: torch.index_select(x, 0, rows),
    "take of all entries, torch.take": lambda x: torch.take(x, rows),
    "getitem_integer_array, x[indices]": lambda x: x[rows],
    "embedding": lambda x: torch.nn.functional.embedding(rows, x[:, None]),
    "gather, which is right": lambda x: torch.gather(x, 0, rows),
}
for dtype in (torch.bfloat16, torch.float16):
    for name, function in CALLS.items():
        x = torch.ones(3, dtype=dtype, requires_grad=True)
        function(x).sum().backward()
        print(f"{name}, {dtype}: the gradient of an entry taken 4096 times is {x.grad[1]}, expected 4096")
