"""tinygrad: the gradient of a constant is None, that of a detached value zeros."""

from tinygrad import Tensor

for name, function in (("detached", lambda x: x.detach() * 2), ("constant", lambda x: Tensor([3.0]))):
    x = Tensor([1.0]).clone()
    function(x).sum().backward()
    print(f"{name}: gradient {None if x.grad is None else x.grad.tolist()}")
