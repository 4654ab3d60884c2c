"""tinygrad: a value that is written into a tensor gets no gradient; the tensor's own is right."""

from tinygrad import Tensor

x, value = Tensor([1.0, 2.0, 3.0]).clone(), Tensor([5.0]).clone()
written = x.clone()
written[0:1] = value
written.sum().backward()
print("x:", x.grad.numpy(), " value:", value.grad, " expected [0. 1. 1.] and [1.]")

rows, values = Tensor([1.0, 2.0, 3.0, 4.0]).clone(), Tensor([5.0, 6.0, 7.0, 8.0]).clone()
written = rows.clone()
written[Tensor([2, 0, 3, 2])] = values
got = [gradient.numpy().tolist() for gradient in written.sum().gradient(rows, values)]
print(
    "by gradient(), written at duplicate indices:",
    got,
    " expected [0, 1, 0, 0], and ones but for one of the two values at 2",
)
