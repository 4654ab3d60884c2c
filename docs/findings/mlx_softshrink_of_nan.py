"""MLX: softshrink and hard_shrink of NaN are 0, so that what went wrong before does not show; other activations are NaN."""

import mlx.core as mx
import mlx.nn as nn

mx.set_default_device(mx.cpu)
for function in (nn.softshrink, nn.hard_shrink, nn.relu, nn.silu):
    print(f"{function.__name__} of NaN: got {function(mx.array(float('nan'))).item()}, expected nan")
