"""jax: the gradient of ldexp is 1 at 0 and at infinity whatever the exponent, loses digits of a power of two, and overflows on the way."""

import jax
import jax.numpy as jnp

jax.config.update("jax_enable_x64", True)
print("jax", jax.__version__)
slope = jax.grad(lambda x, n: jnp.ldexp(x, n))
for x in (0.0, float("inf"), 1.0):
    print(f"the gradient of ldexp(x, 5) at {x}: got", slope(x, 5), "exactly", 2.0**5)
for n in (-958, -120, 8):
    got = float(slope(1.8391540419580855e75, n))
    print(
        f"the gradient of ldexp(x, {n}): got {got!r}, exactly {2.0**n!r}, relative error {got / 2.0**n - 1:.1g}"
    )
print("the gradient of ldexp(x, 960) at 5e-324: got", slope(5e-324, 960), "exactly", 2.0**960)
print("the gradient of ldexp(x, 7) at 180 in float16: got", slope(jnp.float16(180.375), 7), "exactly", 2.0**7)
