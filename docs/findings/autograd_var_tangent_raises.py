"""autograd: pushing a tangent through var along several axes raises NameError: its rule names a module it does not import."""

import importlib.metadata

import autograd.numpy as np
from autograd import grad, make_jvp

print("autograd", importlib.metadata.version("autograd"))
x, v = np.array([[1.0, 2.0], [3.0, 7.0]]), np.ones((2, 2))
for axis in (0, (0, 1)):
    print(f"axis={axis}: gradient {grad(lambda x, axis=axis: np.sum(np.var(x, axis=axis)))(x).tolist()}")
    try:
        print(f"axis={axis}: tangent {make_jvp(lambda x, axis=axis: np.var(x, axis=axis))(x)(v)[1]}")
    except NameError as error:
        print(f"axis={axis}: tangent raises {type(error).__name__}: {error}")
