"""MyGrad: repeat of an operand without entries has a value, and its gradient raises."""

import mygrad as mg
import numpy as np

print("mygrad", mg.__version__)
x = mg.tensor(np.ones((2, 0)))
y = mg.repeat(x, 2, axis=0)
try:
    y.backward()
    print(x.grad.shape)
except ValueError as error:
    print("value", y.shape, "gradient ValueError:", error)
