"""tinygrad: Tensor.gradient takes a gradient argument of another shape than the tensor's; backward refuses it."""

from tinygrad import Tensor

x = Tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]).clone()
for shape in ((1, 2, 3), (3,)):
    (gradient,) = (x * x).gradient(x, gradient=Tensor.ones(*shape))
    print("gradient argument", shape, "accepted, gradient", gradient.shape)
