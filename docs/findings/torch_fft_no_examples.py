"""torch: Fourier transforms of a batch without examples raise an error of the library that computes them."""

import torch

print("torch", torch.__version__)
for name in ("fft", "ifft", "rfft", "irfft", "fftn"):
    x = torch.zeros(0, 3, dtype=torch.float64 if name == "rfft" else torch.complex128)
    try:
        print(
            name, "has shape", tuple(getattr(torch.fft, name)(x, dim=(-1,) if name == "fftn" else -1).shape)
        )
    except RuntimeError as error:
        print(f"{name}: RuntimeError: {error}")
