"""MyGrad: elu and selu subtract 1 from an exponential, and lose the digits of small values."""

import math

import mygrad as mg
import numpy as np
from mygrad.nnet.activations import elu, selu

print("mygrad", mg.__version__)
SCALE, ALPHA = 1.0507009873554805, 1.6732632423543772
for dtype, x in ((np.float32, -8.125258e-06), (np.float64, -1e-17)):
    operand = mg.tensor(np.array([x], dtype))
    x = float(operand.data[0])
    print(f"elu({x}), alpha 4: got {elu(operand, 4).data[0]}, exactly {4 * math.expm1(x)}")
    print(f"selu({x}): got {selu(operand).data[0]}, exactly {SCALE * ALPHA * math.expm1(x)}")
