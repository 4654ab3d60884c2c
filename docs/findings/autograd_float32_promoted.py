"""autograd: the gradient of a float32, float16 or complex64 operand is wider: rules use constants that NumPy 2 does not cast down."""

import importlib.metadata

import autograd.numpy as np
from autograd import make_vjp
from autograd.scipy.special import betainc, expit, gamma

print("autograd", importlib.metadata.version("autograd"), "numpy", np.__version__)
mask = np.array([[True, False], [False, True]])
for name, function in (
    ("exp2", np.exp2),
    ("log2", np.log2),
    ("log10", np.log10),
    ("max", np.max),
    ("min", np.min),
    ("mean", np.mean),
    ("var", np.var),
    ("std", np.std),
    ("trace", np.trace),
    ("where", lambda x: np.where(mask, x, np.float32(0))),
    ("einsum 'ij->j'", lambda x: np.einsum("ij->j", x)),
    ("diff, twice,", lambda x: np.diff(x, n=2)),
    ("imag", np.imag),
    ("expit", expit),
    ("gamma", gamma),
    ("betainc", lambda x: betainc(1.5, 2.0, x / 4)),
    ("rfft", lambda x: np.real(np.fft.rfft(x))),
    ("cholesky", np.linalg.cholesky),
    ("pinv", np.linalg.pinv),
    ("eigenvectors", lambda x: np.linalg.eigh(x)[1]),
    ("singular vectors", lambda x: np.linalg.svd(x, full_matrices=False)[0]),
):
    for dtype in ("float32", "float16", "complex64"):
        if dtype == "float16" and name in ("cholesky", "pinv", "eigenvectors", "singular vectors"):
            continue  # NumPy has none
        if dtype == "complex64" and name in (
            "max",
            "min",
            "var",
            "std",
            "imag",
            "expit",
            "gamma",
            "betainc",
            "rfft",
            "cholesky",
        ):
            continue  # no complex function, or none that is holomorphic
        if dtype == "complex64" and "vectors" in name:
            continue
        pullback, y = make_vjp(function)(np.array([[2, 1], [1, 3]], dtype))
        print(f"{name} of {dtype}: value {y.dtype}, gradient {pullback(np.ones_like(y)).dtype}")
for dtype in ("float32", "float16"):
    pullback, y = make_vjp(lambda x: np.linspace(x, x.dtype.type(2), 3))(np.array(1, dtype))
    print(f"linspace of {dtype}: value {y.dtype}, gradient {pullback(np.ones_like(y)).dtype}")
