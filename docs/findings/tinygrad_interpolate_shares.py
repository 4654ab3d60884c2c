"""tinygrad: interpolate computes shares in float32 for float64 too, and 0/0 where one sample is left between aligned corners."""

from tinygrad import Tensor, dtypes

x = Tensor([1.0, 2.0, 3.0], dtype=dtypes.float64)
print("seven samples of three:", x.interpolate((7,)).tolist()[1:4], "exactly", [8 / 7, 11 / 7, 2.0])
print(
    "one sample between aligned corners:", x.interpolate((1,), align_corners=True).tolist(), "exactly [1.0]"
)
