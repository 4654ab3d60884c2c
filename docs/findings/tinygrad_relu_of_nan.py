"""tinygrad: relu and relu6 of NaN are 0, so that what went wrong before does not show; those of its kin are NaN."""

from tinygrad import Tensor

for name in ("relu", "relu6", "leaky_relu", "silu", "softplus"):
    print(f"{name} of NaN: got {getattr(Tensor([float('nan')]), name)().numpy()[0]}, expected nan")
