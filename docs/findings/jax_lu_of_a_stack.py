"""jax: scipy.linalg.lu says that it takes arrays of shape (..., M, N), and refuses a stack of matrices."""

import jax

print("jax", jax.__version__)
print(next(line.strip() for line in jax.scipy.linalg.lu.__doc__.splitlines() if "to decompose" in line))
x = jax.random.normal(jax.random.key(0), (2, 3, 3))
print("of one matrix:", [part.shape for part in jax.scipy.linalg.lu(x[0])])
try:
    print("of two:", [part.shape for part in jax.scipy.linalg.lu(x)])
except ValueError as error:
    print("of two:", error)
