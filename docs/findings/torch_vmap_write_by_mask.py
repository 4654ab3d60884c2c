"""torch: vmap of a write by a mask and by positions, with a slice between them, misplaces the axis of the batch."""

import torch

mask, columns = torch.tensor([True, False, True]), torch.tensor([0, 2])


def write(x, value):
    """A copy of x with the value written."""
    written = x.clone()
    written[mask, :, columns] = value
    return written


print("torch", torch.__version__)
for batch in (2, 1):
    x, value = torch.zeros(batch, 3, 3, 3), torch.arange(6.0 * batch).reshape(batch, 2, 3)
    looped = torch.stack([write(*pair) for pair in zip(x, value, strict=True)])
    try:
        print(
            f"a batch of {batch}, the same as one by one:", torch.equal(torch.vmap(write)(x, value), looped)
        )
    except RuntimeError as error:
        print(f"a batch of {batch}:", error)
