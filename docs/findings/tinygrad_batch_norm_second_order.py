"""tinygrad: nn.BatchNorm detaches the mean within the variance, so that second derivatives are wrong."""

from tinygrad import Tensor, nn


def values(x):
    """The sum of cubes of a batch, normalised."""
    return (nn.BatchNorm(1, affine=False, track_running_stats=False)(x) ** 3).sum()


def gradient(x):
    """That of the sum, as nested lists."""
    return values(x).gradient(x)[0]


entries, step = [0.0, 1.0, 3.0, 7.0], 0.01
x = Tensor(entries).reshape(4, 1).clone()
got = gradient(x)[0].sum().gradient(x)[0].flatten().tolist()
around = []
for sign in (1, -1):
    moved = Tensor([entries[0] + sign * step, *entries[1:]]).reshape(4, 1).clone()
    around.append(gradient(moved).flatten().tolist())
expected = [(a - b) / (2 * step) for a, b in zip(*around, strict=True)]
print("the second derivative by the first entry: got", [round(v, 3) for v in got])
print("expected, by differences of gradients:", [round(v, 3) for v in expected])
