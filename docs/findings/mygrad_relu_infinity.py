"""MyGrad: relu multiplies by a mask, so that of minus infinity it is NaN."""

import mygrad as mg
import numpy as np
from mygrad.nnet.activations import relu

print("relu(-inf):", relu(mg.tensor([-np.inf])).data, "expected [0.]")
