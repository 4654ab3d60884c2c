"""MLX: argmax and argmin of a 0-d array with keepdims raise an error of the C++ library."""

import mlx.core as mx

mx.set_default_device(mx.cpu)
for function in (mx.argmax, mx.argmin):
    try:
        print("got", function(mx.array(2.0), keepdims=True))
    except ValueError as error:
        print(f"{function.__name__}: {error}; expected 0")
