"""MyGrad: the gradient of softmax_crossentropy and the value of logsoftmax lose digits in proportion to the logits: they pass through their log-sum-exp."""

import math

import mygrad as mg
import numpy as np

print("mygrad", mg.__version__)
for shift in (0.0, 1e3, 1e6, 1e9, 1e12):
    x = mg.tensor(np.array([[shift, shift + 2.0]]))
    mg.nnet.losses.softmax_crossentropy(x, np.array([1])).backward()
    exact = 1 / (1 + math.exp(2.0))
    got = float(x.grad[0, 0])
    print(
        f"logits {shift:g} and 2 more: got {got:.17g} exact {exact:.17g}, relative error {abs(got / exact - 1):.1e}"
    )
    value = float(mg.nnet.activations.logsoftmax(mg.tensor([[shift, shift]])).data[0, 0])
    print(f"    the logarithm of one half: {value:.17g}, exactly {-math.log(2):.17g}")
