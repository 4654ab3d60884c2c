"""jax: a convolution whose kernel is longer than the padded input gives an empty output instead of an error."""

import jax
import jax.numpy as jnp

print("jax", jax.__version__)
x, kernel = jnp.ones((1, 1, 3, 3)), jnp.ones((1, 1, 3, 2))


def convolved(x, kernel):
    """The convolution, without padding, its kernel dilated by 2 along rows."""
    return jax.lax.conv_general_dilated(x, kernel, (1, 1), [(0, 0), (0, 0)], rhs_dilation=(2, 1))


# Dilated by 2, the kernel spans 5 rows of 3.
print("output of shape", convolved(x, kernel).shape)
gradient = jax.grad(lambda kernel: convolved(x, kernel).sum())(kernel)
print(
    "gradient of the kernel",
    gradient.tolist(),
    "expected: an error, as for operands of other misfitting shapes",
)
