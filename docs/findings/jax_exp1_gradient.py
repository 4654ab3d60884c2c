"""jax: the gradient of jax.scipy.special.exp1 never ends where an array has a small and a larger entry; of each alone it does."""

import subprocess
import sys

import jax

PATIENCE = 20  # seconds
CALL = """
import jax
jax.config.update("jax_enable_x64", True)
x = jax.numpy.array({x})
print(jax.vjp(jax.scipy.special.exp1, x)[1](jax.numpy.ones_like(x))[0])
"""

print("jax", jax.__version__)
for x in ([1e-10], [1.0], [1e-10, 1.0]):
    try:
        run = subprocess.run(
            [sys.executable, "-c", CALL.format(x=x)], capture_output=True, text=True, timeout=PATIENCE
        )
        print(f"at {x}:", run.stdout.strip())
    except subprocess.TimeoutExpired:
        print(f"at {x}: no answer within {PATIENCE} s")
