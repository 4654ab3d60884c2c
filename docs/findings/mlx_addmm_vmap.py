"""MLX: addmm under vmap raises where what is added is mapped and the matrices are not."""

import mlx.core as mx

mx.set_default_device(mx.cpu)
a, b, bias = mx.ones([2, 3]), mx.ones([3, 2]), mx.ones([2])


def added(call, rows):
    """The sum of what a mapped call gives, or what it raises."""
    try:
        return mx.sum(mx.vmap(call)(rows)).item()
    except ValueError as error:
        return error


for what, rows in (("a matrix", mx.ones([3, 2, 2])), ("a bias", mx.ones([3, 2]))):
    print(what, "by addmm:", added(lambda c: mx.addmm(c, a, b), rows))
    print(what, "by + and @:", added(lambda c: c + a @ b, rows))
