"""jax: gradients that are finite and representable are lost to squares that overflow or vanish."""

import jax
import jax.numpy as jnp

jax.config.update("jax_enable_x64", True)
print("jax", jax.__version__)


def show(name, function, operands, exact):
    """Print the gradient of a call beside the exact one."""
    arrays = [jnp.asarray(x, jnp.float64) for x in operands]
    got = jax.grad(function, argnums=tuple(range(len(arrays))))(*arrays)
    print(f"{name}: got {[g.tolist() for g in got]}, exact {exact}")


# x / z and y / z, at (3, 4) times any number
show("hypot(3, 4)", jnp.hypot, (3.0, 4.0), [0.6, 0.8])
show("hypot(3e200, 4e200)", jnp.hypot, (3e200, 4e200), [0.6, 0.8])
show("hypot(3e-200, 4e-200)", jnp.hypot, (3e-200, 4e-200), [0.6, 0.8])
# subnormal numbers are taken for zeros
show("hypot(15e-324, 20e-324)", jnp.hypot, (15e-324, 20e-324), [0.6, 0.8])
show("norm([3e200, 4e200])", jnp.linalg.vector_norm, ([3e200, 4e200],), [[0.6, 0.8]])
show("norm([3e-200, 4e-200])", jnp.linalg.vector_norm, ([3e-200, 4e-200],), [[0.6, 0.8]])
show("std([1e-160, 2e-160, 4e-160])", jnp.std, ([1e-160, 2e-160, 4e-160],), [[-0.3563, -0.0891, 0.4454]])
show(
    "nanstd([1e-160, 2e-160, 4e-160])", jnp.nanstd, ([1e-160, 2e-160, 4e-160],), [[-0.3563, -0.0891, 0.4454]]
)
# one power of x more than the polynomial has, times the 0 that Horner's scheme begins with
show(
    "polyval([1e-160, 1, 1], 1e155)",
    lambda x: jnp.polyval(jnp.array([1e-160, 1.0, 1.0]), x),
    (1e155,),
    [1.00002],
)
# (x - mean) / sum of weights
show(
    "average([1, 2], weights=[1e-200, 1e-200])",
    lambda w: jnp.average(jnp.array([1.0, 2.0]), weights=w),
    ([1e-200, 1e-200],),
    [[-2.5e199, 2.5e199]],
)
# (x dy - y dx) / (x^2 + y^2)
show("atan2(1e-200, 1e-200)", jnp.atan2, (1e-200, 1e-200), [5e199, -5e199])
# both are the identity on the far right, and 0 on the far left
show("gelu(1e160)", jax.nn.gelu, (1e160,), [1])
show("gelu(-1e160)", jax.nn.gelu, (-1e160,), [0])
show("squareplus(1e160)", jax.nn.squareplus, (1e160,), [1])
print("gelu(1e20) in float32:", jax.grad(jax.nn.gelu)(jnp.float32(1e20)).item(), "exact 1")
print("squareplus(1e20) in float32:", jax.grad(jax.nn.squareplus)(jnp.float32(1e20)).item(), "exact 1")
# the logarithm of a determinant of 1e-320 or so, whose gradient is the transposed inverse
matrix = [[1e-160, 0.0], [0.0, 2e-160]]
show("slogdet", lambda a: jnp.linalg.slogdet(a)[1], (matrix,), [[[1e160, 0.0], [0.0, 5e159]]])
# d (x / y) / dy = -x / y^2, here -1e-160 / 1e-320
show("1e-160 / 1e-160", jnp.divide, (1e-160, 1e-160), [1e160, -1e160])
# -1 / x^2, of which x^2 is below the normal numbers and the gradient is not beyond the largest
show("1 / 1e-154", jnp.reciprocal, (1e-154,), [-1e308])
# rsqrt(x) / x, before it is halved
gradient = jax.grad(jax.lax.rsqrt)(jnp.float16(0.0004))
print("rsqrt(0.0004) in float16:", gradient.item(), "exact", -0.5 * float(jnp.float16(0.0004)) ** -1.5)
# s^2 - t^2 of singular values vanishes, and the squares of a norm overflow
show("cond", jnp.linalg.cond, ([[3e-206, 0.0], [0.0, 1e-206]],), [[[1e206, 0.0], [0.0, -3e206]]])
show(
    "the Frobenius norm", jnp.linalg.matrix_norm, ([[3e172, 0.0], [0.0, 4e172]],), [[[0.6, 0.0], [0.0, 0.8]]]
)
# 1 + x^2
print("asinh(411) in float16:", jax.grad(jnp.asinh)(jnp.float16(411)).item(), "exact", 1 / 411)
# x / y^2, and x times 1 / y
small, tiny = jnp.float16(2.5e-6), jnp.float16(6e-7)
slope = jax.grad(lambda y: 0.25 * jax.scipy.special.rel_entr(jnp.float16(0.125), y))(small)
print("a quarter of rel_entr(0.125, 2.5e-6) in float16:", slope.item(), "exact", -0.25 * 0.125 / float(small))
slope = jax.grad(lambda y: jax.scipy.special.xlogy(jnp.float16(2e-6), y))(tiny)
print("xlogy(2e-6, 6e-7) in float16:", slope.item(), "exact", float(jnp.float16(2e-6)) / float(tiny))
