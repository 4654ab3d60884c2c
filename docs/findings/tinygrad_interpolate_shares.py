"""tinygrad: interpolate computes shares in float32 for float64 too, and 0/0 where one sample is left between aligned corners.

A place that is exactly on a sample, such as 23 · 14 / 46 = 7, is rounded to before it, and goes to the sample before.
"""

from tinygrad import Tensor, dtypes

x = Tensor([1.0, 2.0, 3.0], dtype=dtypes.float64)
print("seven samples of three:", x.interpolate((7,)).tolist()[1:4], "exactly", [8 / 7, 11 / 7, 2.0])
print(
    "one sample between aligned corners:", x.interpolate((1,), align_corners=True).tolist(), "exactly [1.0]"
)
samples = Tensor.arange(14).cast(dtypes.float64).reshape(1, 1, 14)
print(
    "the nearest of 14 samples at place 23 of 46:",
    samples.interpolate((46,), mode="nearest").tolist()[0][0][23],
    "exactly 7.0",
)
