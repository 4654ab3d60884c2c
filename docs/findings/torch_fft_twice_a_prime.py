"""torch: a Fourier transform of 134 or 262 entries, twice a prime number, loses two digits: against sums in extended precision."""

import numpy as np
import torch

print("torch", torch.__version__)
rng = np.random.default_rng(0)
for n in (128, 131, 134, 257, 262):
    x = rng.standard_normal(n) + 1j * rng.standard_normal(n)
    turns = np.outer(np.arange(n), np.arange(n)) % n
    angles = -8 * np.arctan(np.longdouble(1)) * turns / n
    exact = (np.cos(angles) + 1j * np.sin(angles)) @ x.astype(np.clongdouble)
    unit = np.finfo(np.float64).eps * np.sqrt(np.mean(np.abs(exact) ** 2))
    for name, got in (("torch", torch.fft.fft(torch.tensor(x)).numpy()), ("NumPy", np.fft.fft(x))):
        print(
            f"{n} entries, {name}: off by {float(np.abs(got - exact).max() / unit):.1f} roundings of the usual size"
        )
