"""tinygrad: of the backward calls from the parts of a split only the first reaches the gradient."""

from tinygrad import Tensor

x = Tensor([1.0, 2.0, 3.0]).clone()
for part, g in zip(x.split(1), (1.0, 2.0, 3.0), strict=True):
    part.backward(Tensor([g]))
print("got", x.grad.numpy(), "expected [1. 2. 3.]")
