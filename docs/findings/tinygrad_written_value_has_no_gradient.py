"""tinygrad: a value that is written into a tensor gets no gradient; the tensor's own is right."""

from tinygrad import Tensor

x, value = Tensor([1.0, 2.0, 3.0]).clone(), Tensor([5.0]).clone()
written = x.clone()
written[0:1] = value
written.sum().backward()
print("x:", x.grad.numpy(), " value:", value.grad, " expected [0. 1. 1.] and [1.]")
