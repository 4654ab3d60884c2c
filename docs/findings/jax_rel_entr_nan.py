"""JAX: rel_entr of NaN is infinite; SciPy's is NaN, and so is JAX's own kl_div."""

import jax
import numpy as np
import scipy.special
from jax.scipy.special import kl_div, rel_entr

print("jax", jax.__version__)
for x, y in ((np.nan, 1.0), (1.0, np.nan)):
    print(f"rel_entr({x}, {y}):", float(rel_entr(x, y)), "SciPy:", scipy.special.rel_entr(x, y))
    print(f"kl_div({x}, {y}):  ", float(kl_div(x, y)))
