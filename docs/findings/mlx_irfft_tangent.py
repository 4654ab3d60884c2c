"""MLX: the tangent of irfft to an odd number of entries has one entry less, and that of one entry is refused."""

import mlx.core as mx

mx.set_default_device(mx.cpu)
x = mx.array([1 + 1j, 2 - 1j, 0.5j])
for n in (4, 5, 1):
    try:
        values, tangents = mx.jvp(lambda x, n=n: mx.fft.irfft(x, n), [x], [x])
        print(f"{n} entries: the value has {values[0].shape[0]}, its tangent {tangents[0].shape[0]}")
    except ValueError as error:
        print(f"{n} entries: {error}")
