"""MLX: mx.grad of a function with a complex value is answered; only the value's real part is differentiated."""

import mlx.core as mx

mx.set_default_device(mx.cpu)

print(
    "got", mx.grad(lambda x: x.astype(mx.complex64) * (1 + 2j))(mx.array(3.0)), "where an error is expected"
)
