"""tinygrad: logsumexp over a tuple of axes, which its manual offers, raises unless keepdim is true."""

from tinygrad import Tensor

x = Tensor([[0.0, 1.0], [2.0, 3.0]])
for keepdim in (True, False):
    try:
        print("logsumexp over (0, 1), keepdim", keepdim, x.logsumexp(axis=(0, 1), keepdim=keepdim).tolist())
    except TypeError as error:
        print("logsumexp over (0, 1), keepdim", keepdim, "raises TypeError:", error, "expected 3.4401898384")
