"""tinygrad: a tensor of which a view is in use refuses to be written to, and says so."""

from tinygrad import Tensor

x = -Tensor([1.0, 2.0, 3.0])
view = x[:2]
y = view * 2
try:
    x[0] = Tensor(5.0)
    print("written:", x.tolist(), y.tolist())
except RuntimeError as error:
    print(error)
