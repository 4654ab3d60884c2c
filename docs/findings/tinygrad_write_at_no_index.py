"""tinygrad: a write at an index without entries raises; a read there is a tensor without entries."""

from tinygrad import Tensor, dtypes

index = Tensor([], dtype=dtypes.long)
x = Tensor([[1.0, 2.0], [3.0, 4.0]]).clone()
print("read:", x[index].shape)
try:
    x[index] = 5.0
    print("written:", x.numpy())
except ValueError as error:
    print("refused:", error)
