"""MLX: a graph of one thread cannot be computed in another, as the documentation of streams says."""

import threading

import mlx.core as mx

mx.set_default_device(mx.cpu)

y = mx.array([1.0, 2.0]) * 2


def compute():
    """In another thread."""
    try:
        mx.eval(y)
        print("computed", y)
    except RuntimeError as error:
        print(error)


other = threading.Thread(target=compute)
other.start()
other.join()
