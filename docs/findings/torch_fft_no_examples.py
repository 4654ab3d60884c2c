"""torch: Fourier transforms of a batch without examples raise an error of the library that computes them, on the CPU and on a GPU."""

import torch

print("torch", torch.__version__)
for device in ("cpu", "cuda") if torch.cuda.is_available() else ("cpu",):
    for name in ("fft", "ifft", "rfft", "irfft", "fftn"):
        dtype = torch.float64 if name == "rfft" else torch.complex128
        x = torch.zeros(0, 3, dtype=dtype, device=device)
        try:
            y = getattr(torch.fft, name)(x, dim=(-1,) if name == "fftn" else -1)
            print(f"{device}, {name} has shape {tuple(y.shape)}")
        except RuntimeError as error:
            print(f"{device}, {name}: RuntimeError: {error}")
