"""JAX: special functions are NaN at infinity, or at zero, where they have a limit."""

import jax.scipy.special as special
import numpy as np

for name, operands, limit in (
    ("i0", (-np.inf,), "inf"),
    ("i1", (-np.inf,), "-inf"),
    ("spence", (np.inf,), "-inf"),
    ("polygamma", (3, np.inf), "0"),
    ("zeta", (2.0, np.inf), "0"),
    ("expi", (0.0,), "-inf"),
):
    shown = f"{name}({', '.join(map(str, operands))})"
    print(f"{shown}:", float(getattr(special, name)(*operands)), "limit:", limit)
