"""jax: dot_product_attention of float64 computes its softmax in float32: the value has eight digits, and where a score overflows float32 it is NaN."""

import jax
import jax.numpy as jnp

jax.config.update("jax_enable_x64", True)
print("jax", jax.__version__)
q, k = jnp.array([[[[0.3]]]]), jnp.array([[[[1.0]], [[2.0]]]])
v = jnp.array([[[[1.0]], [[-2.0]]]])


def written_out(q, k, v):
    """softmax(q k) v."""
    weights = jax.nn.softmax(jnp.einsum("bqhd,bkhd->bhqk", q, k), -1)
    return jnp.einsum("bhqk,bkhd->bqhd", weights, v)


for name, function in (
    ("dot_product_attention", lambda *xs: jax.nn.dot_product_attention(*xs, scale=1.0)),
    ("written out", written_out),
):
    z, pullback = jax.vjp(function, q, k, v)
    print(
        f"{name:22}",
        z.dtype,
        float(z[0, 0, 0, 0]),
        "gradient of the query",
        float(pullback(jnp.ones_like(z))[0][0, 0, 0, 0]),
    )
print(
    "a query of 1e39        ",
    jax.nn.dot_product_attention(1e39 * q, k, v, scale=1.0).ravel(),
    "written out",
    written_out(1e39 * q, k, v).ravel(),
)
