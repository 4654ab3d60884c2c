"""jax: the gradient of sinc cancels near 0; the true slope is -pi^2 x / 3 there."""

import math

import jax
import jax.numpy as jnp

jax.config.update("jax_enable_x64", True)
print("jax", jax.__version__)
for x in (3e-2, 1e-2, 1e-4, 1e-6, 1e-8):
    u = math.pi * x
    exact = math.pi * (-u / 3 + u**3 / 30 - u**5 / 840 + u**7 / 45360)
    got = float(jax.grad(jnp.sinc)(x))
    print(f"x = {x:g}: got {got:.17g} expected {exact:.17g} relative error {abs(got / exact - 1):.1e}")
