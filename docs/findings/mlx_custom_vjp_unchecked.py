"""MLX: the answers of a custom vjp, or jvp, are not checked: None shifts them, and shapes and dtypes may be any."""

import mlx.core as mx

mx.set_default_device(mx.cpu)


def product(answer):
    """x y, with a rule that answers so."""
    function = mx.custom_function(lambda x, y: x * y)
    function.vjp(lambda primals, cotangent, output: answer(primals, cotangent))
    return lambda x, y: mx.sum(function(x, y))


def gradients(answer, x, y):
    """Of the product with that rule."""
    return [(g.tolist(), g.dtype) for g in mx.grad(product(answer), argnums=(0, 1))(x, y)]


x, y = mx.array([3.0]), mx.array([5.0])
print("None, then c x: got", gradients(lambda p, c: (None, c * p[0]), x, y), "expected [0.0] and [3.0]")
print(
    "one answer for two operands: got",
    gradients(lambda p, c: (c * p[1],), x, y),
    "where an error is expected",
)
wide = gradients(lambda p, c: (c.astype(mx.float64), c), x, y)
print("float64 for a float32 operand: got", wide, "where a cast or an error is expected")
m = mx.ones((2, 3))
shape = mx.grad(product(lambda p, c: (c.T, c)))(m, m).shape
print("a transposed gradient: got shape", shape, "where an error is expected")
shape = mx.grad(product(lambda p, c: (c[:1], c)))(m, m).shape
print("the first row of a gradient: got shape", shape, "where an error is expected")
doubled = mx.custom_function(lambda x: x + x)
doubled.jvp(lambda primal, tangent: tangent[:1])
(output,), (tangent,) = mx.jvp(doubled, [mx.ones(3)], [mx.ones(3)])
print(
    "a tangent of another shape: got",
    tangent.shape,
    "for an output of",
    output.shape,
    "where an error is expected",
)
