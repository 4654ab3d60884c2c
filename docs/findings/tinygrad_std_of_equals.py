"""tinygrad: the gradient of a deviation of equal entries, or of one, is NaN, beside the mean's too: it divides by the root."""

import numpy as np
from tinygrad import Tensor

for entries in ([2.0, 2.0], [3.0]):
    x = Tensor(np.array(entries)).clone()
    deviation, mean = x.std_mean(correction=0)
    (deviation + mean).backward()
    print(
        f"std and mean of {entries}: gradient {x.grad.numpy()}, that of the mean {[1 / len(entries)] * len(entries)}"
    )
