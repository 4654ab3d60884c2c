"""jax: the derivatives of sinc cancel near 0; the first is -pi^2 x / 3 there, the second -pi^2 / 3."""

import math

import jax
import jax.numpy as jnp

jax.config.update("jax_enable_x64", True)
print("jax", jax.__version__)
for x in (3e-2, 1e-2, 1e-4, 1e-6, 1e-8, 1e-200):
    u = math.pi * x
    exact = math.pi * (-u / 3 + u**3 / 30 - u**5 / 840 + u**7 / 45360)
    got = float(jax.grad(jnp.sinc)(x))
    print(f"x = {x:g}: got {got:.17g} expected {exact:.17g} relative error {abs(got / exact - 1):.1e}")

x = 0.08648681640625
u = math.pi * x
first = math.pi * (-u / 3 + u**3 / 30 - u**5 / 840 + u**7 / 45360 - u**9 / 3991680)
second = math.pi**2 * (-1 / 3 + u**2 / 10 - u**4 / 168 + u**6 / 6480 - u**8 / 443520 + u**10 / 43243200)
for name, got, exact in (
    ("float16", float(jax.grad(jnp.sinc)(jnp.float16(x))), first),
    ("second derivative, float64", float(jax.grad(jax.grad(jnp.sinc))(x)), second),
):
    print(f"{name}, x = {x}: got {got:.17g} expected {exact:.17g} relative error {abs(got / exact - 1):.1e}")

w = -0.109375j  # its slope is a real power series in w, and cancels as well
u = math.pi * w
exact = math.pi * (-u / 3 + u**3 / 30 - u**5 / 840 + u**7 / 45360 - u**9 / 3991680 + u**11 / 518918400)
got = complex(jax.grad(jnp.sinc, holomorphic=True)(w))
print(f"complex128, x = {w}: got {got:.17g} expected {exact:.17g} relative error {abs(got / exact - 1):.1e}")
