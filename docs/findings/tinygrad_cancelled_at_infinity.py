"""tinygrad rewrites x - x and x * 0 as 0, and x / x as 1, also where x is infinite or 0."""

from tinygrad import Tensor

x = Tensor([float("inf"), 1.0, 0.0])
print("x - x", (x - x).tolist(), "expected", [float("nan"), 0.0, 0.0])
print("x / x", (x / x).tolist(), "expected", [float("nan"), 1.0, float("nan")])
print("x * 0", (x * 0.0).tolist(), "expected", [float("nan"), 0.0, 0.0])
