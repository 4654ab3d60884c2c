"""jax: a gradient that many equal indices share is summed in bfloat16, one by one on the CPU: it stops growing at 256."""

import jax
import jax.numpy as jnp

print("jax", jax.__version__)
x, rows = jnp.ones(3, jnp.bfloat16), jnp.zeros(4096, jnp.int32)
for name, function in (
    ("take_along_axis", lambda a: jnp.take_along_axis(a, rows, axis=0)),
    (
        "gather, by the same function of a column",
        lambda a: jnp.take_along_axis(a[:, None], rows[:, None], axis=0),
    ),
    ("take", lambda a: jnp.take(a, rows, axis=0)),
    ("getitem_integer_array, embedding: x[indices]", lambda a: a[rows]),
):
    for words, called in (("", function), (", compiled", jax.jit(function))):
        value, pullback = jax.vjp(called, x)
        (got,) = pullback(jnp.ones_like(value))
        print(f"{name}{words}: the gradient of an entry taken 4096 times is {got[0]}, expected 4096")
