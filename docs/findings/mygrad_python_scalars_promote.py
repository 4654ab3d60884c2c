"""MyGrad: a Python number makes a float32 tensor's result float64 with NumPy 2, also inside MyGrad's own functions."""

import mygrad as mg
import numpy as np
from mygrad.nnet import activations, losses

print("mygrad", mg.__version__, "numpy", np.__version__)
x = mg.tensor(np.ones((2, 3), "float32"))
for name, result in (
    ("x * 2.0", x * 2.0),
    ("clip(x, 0, 2)", mg.clip(x, 0.0, 2.0)),
    ("where(mask, 0.0, x)", mg.where(np.array([True, False, True]), 0.0, x)),
    ("hard_tanh(x)", activations.hard_tanh(x)),
    ("leaky_relu(x, 0.1)", activations.leaky_relu(x, 0.1)),
    ("soft_sign(x)", activations.soft_sign(x)),
    ("negative_log_likelihood(x, t)", losses.negative_log_likelihood(x, np.array([0, 1]))),
):
    print(f"{name}: {result.dtype}; NumPy's own np.float32 array times 2.0: {(x.data * 2.0).dtype}")
