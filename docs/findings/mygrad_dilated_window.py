"""MyGrad: a dilated window that just fits is refused; window 2 at dilation 2 reaches over 3 entries, not 4."""

import importlib.metadata

import mygrad as mg
import numpy as np
from mygrad.nnet import conv_nd

print("mygrad", importlib.metadata.version("mygrad"))
kernel = mg.tensor(np.ones((1, 1, 2)))
for length in (3, 4):
    signal = mg.tensor(np.ones((1, 1, length)))
    try:
        print(f"a signal of {length}:", conv_nd(signal, kernel, stride=1, dilation=2).data.tolist())
    except ValueError as error:
        print(f"a signal of {length}: {type(error).__name__}: {error}")
