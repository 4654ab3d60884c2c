"""tinygrad: the gradients of asin, acos, atan and erf at 0 are 0, where they are 1, -1, 1 and 1.128."""

from tinygrad import Tensor

for name in ("asin", "acos", "atan", "erf"):
    x = Tensor([0.0, 0.5]).clone()
    getattr(x, name)().sum().backward()
    print(f"{name}: got {x.grad.numpy()} at [0, 0.5]")
