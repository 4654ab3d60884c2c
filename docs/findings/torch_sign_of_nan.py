"""torch: the sign of NaN is 0, so that a number that is none becomes one; the Array API standard asks for NaN."""

import torch

print("torch", torch.__version__)
x = torch.tensor([float("nan"), 2.0, -2.0])
print("sign of", x.tolist(), "is", torch.sign(x).tolist(), "where NumPy has [nan, 1.0, -1.0]")
