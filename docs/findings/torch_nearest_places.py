"""torch: interpolate by "nearest" takes its places in single precision: in float64 the gradient goes to another sample than was copied, in float32 another sample is copied."""

import torch
import torch.nn.functional as F

print("torch", torch.__version__)
before, after = 26, 22
expected = [new * before // after for new in range(after)]
for dtype in (torch.float64, torch.float32):
    x = torch.arange(before, dtype=dtype)[None, None].requires_grad_()
    y = F.interpolate(x, size=(after,), mode="nearest")
    copied = [int(sample) for sample in y[0, 0]]
    y.sum().backward()
    given = [place for place, count in enumerate(x.grad[0, 0]) for _ in range(int(count))]
    for what, places in (("are copied", copied), ("have the gradient", given)):
        wrong = [
            f"{found} for {right}" for found, right in zip(places, expected, strict=True) if found != right
        ]
        print(
            f"{before} to {after} by nearest in {dtype}, samples that {what}: {'; '.join(wrong) or 'right'}"
        )
