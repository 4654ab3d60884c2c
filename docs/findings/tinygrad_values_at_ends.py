"""tinygrad: at an infinity it is NaN, where it has a limit."""

import numpy as np
from tinygrad import Tensor

for name, value, expected in (
    ("asinh", -np.inf, -np.inf),
    ("atan", -np.inf, -np.pi / 2),
    ("atan", np.inf, np.pi / 2),
    ("hardsigmoid", np.inf, 1.0),
    ("hardswish", np.inf, np.inf),
    ("logsigmoid", -np.inf, -np.inf),
    ("mish", np.inf, np.inf),
    ("relu6", np.inf, 6.0),
    ("softplus", np.inf, np.inf),
):
    for dtype in (np.float32, np.float64):
        got = getattr(Tensor(np.array([value], dtype)), name)().numpy()[0]
        print(f"{name}({value}) of {np.dtype(dtype)}: got {got}, expected {expected:.5g}")
lowest, other = Tensor(np.array([-np.inf])), Tensor(np.array([-np.inf]))
print("logaddexp(-inf, -inf): got", lowest.logaddexp(other).numpy()[0], "expected -inf")
print("1 ** -inf: got", (Tensor(np.array([1.0])) ** lowest).numpy()[0], "expected 1.0")
first = Tensor(np.array([-np.inf, 0.0])).logcumsumexp().numpy().tolist()
print("logcumsumexp of [-inf, 0]: got", first, "expected [-inf, 0.0]")
