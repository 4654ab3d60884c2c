"""autograd: forward mode through max, min or logsumexp over a tuple of axes counted from the back raises."""

import importlib.metadata

import autograd.numpy as np
from autograd import make_jvp
from autograd.scipy.special import logsumexp

print("autograd", importlib.metadata.version("autograd"))
x = np.arange(6.0).reshape(1, 2, 3)
for function in (np.max, np.min, logsumexp):
    for axis in ((0, 1, 2), (-1, -2, -3)):
        try:
            tangent = make_jvp(lambda x, f=function, axis=axis: f(x, axis=axis))(x)(np.ones(x.shape))[1]
            print(f"{function.__name__}, axis {axis}: the tangent is", tangent)
        except Exception as error:
            print(f"{function.__name__}, axis {axis}: {type(error).__name__}: {error}")
