"""MLX: a transposed convolution whose padding is longer than its kernel reaches is too short, and drops output_padding."""

import mlx.core as mx

mx.set_default_device(mx.cpu)
for length, kernel, stride, padding, output_padding in ((5, 3, 2, 2, 1), (5, 2, 2, 2, 1), (3, 2, 3, 2, 2)):
    x, weight = mx.ones((1, length, 1)), mx.ones((1, kernel, 1))
    z = mx.conv_transpose1d(x, weight, stride, padding, 1, output_padding)
    expected = (length - 1) * stride - 2 * padding + kernel + output_padding
    print(f"kernel {kernel}, padding {padding}: got {z.shape[1]} entries, expected {expected}")
