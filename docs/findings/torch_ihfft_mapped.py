"""torch: vmap refuses the imaginary part of ihfft, which waits to be conjugated; that of rfft it takes."""

import torch

print("torch", torch.__version__)
x = torch.arange(12.0).reshape(3, 4)
for name in ("rfft", "ihfft"):
    transform = getattr(torch.fft, name)
    try:
        print(f"{name}: {torch.vmap(lambda row, of=transform: of(row).imag)(x).tolist()}")
    except RuntimeError as error:
        print(f"{name}: {error}")
