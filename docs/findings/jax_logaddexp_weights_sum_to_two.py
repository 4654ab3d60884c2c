"""jax: the weights of logaddexp do not sum to 1 where a large result has no digits left for log 2."""

import jax
import jax.numpy as jnp

jax.config.update("jax_enable_x64", True)
print("jax", jax.__version__)
for name, function in (("logaddexp", jnp.logaddexp), ("logaddexp2", jnp.logaddexp2)):
    for dtype, size in ((jnp.float32, 1e5), (jnp.float32, 2.0**25), (jnp.float64, 1e17)):
        x = dtype(size)
        got = [float(g) for g in jax.grad(function, argnums=(0, 1))(x, x)]
        print(f"{name}({size:g}, {size:g}) in {dtype.__name__}: got {got}, exact [0.5, 0.5]")
x, y = jnp.float32(1e5), jnp.float32(1e5 + 1)
got = jax.grad(jnp.logaddexp)(x, y)
print(f"logaddexp({x:g}, {y:.6f}) in float32: got {got}, exact {jax.nn.sigmoid(x - y)}")
x = jnp.array([1e17, 1e17])
print(
    "cumlogsumexp([1e17, 1e17])[-1]:", jax.grad(lambda x: jax.lax.cumlogsumexp(x)[-1])(x), "exact [0.5 0.5]"
)
print("logsumexp([1e17, 1e17]), which is right:", jax.grad(jax.nn.logsumexp)(x))
