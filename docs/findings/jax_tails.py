"""jax: gradients that are small and not zero are rounded to zero, by formulas that lose them."""

import math

import jax
import jax.numpy as jnp

jax.config.update("jax_enable_x64", True)
HUGE = 2.0**960
print("jax", jax.__version__)
print("x/y by y at x = y = 2^960: got", jax.grad(lambda y: HUGE / y)(HUGE), "expected", -1 / HUGE)
print("arcsinh at 2^960: got", jax.grad(jnp.arcsinh)(HUGE), "expected", 1 / HUGE)
print("arccosh at 2^960: got", jax.grad(jnp.arccosh)(HUGE), "expected", 1 / HUGE)
print("expm1 at -40: got", jax.grad(jnp.expm1)(-40.0), "expected", math.exp(-40))
print("elu at -40: got", jax.grad(jax.nn.elu)(-40.0), "expected", math.exp(-40))
print(
    "celu at -20, alpha 0.5: got", jax.grad(lambda x: jax.nn.celu(x, 0.5))(-20.0), "expected", math.exp(-40)
)
# 2 x erfcx(x) - 2 / sqrt(pi)
for dtype, x in ((jnp.float32, 1592.0), (jnp.bfloat16, 1592.0)):
    got = jax.grad(jax.scipy.special.erfcx)(jnp.asarray(x, dtype)).item()
    print(
        f"the gradient of erfcx at {x} in {jnp.dtype(dtype).name}: got {got:.3g}, exactly {-1 / (x * x * math.pi**0.5):.3g}"
    )
far = 3 * 2.0**49  # the quotient's rule is a difference of two numbers that agree but for rounding
print("softsign far out: got", jax.grad(jax.nn.soft_sign)(far), "expected", (1 + far) ** -2)
