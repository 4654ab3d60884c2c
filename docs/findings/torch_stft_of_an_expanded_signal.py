"""torch: the gradient of stft by a signal whose entries share their memory is the mean of what it should be."""

import torch

print("torch", torch.__version__)
window = torch.tensor([0.875, 2.375, 0.0, 0.625], dtype=torch.float64)
for name, signal in (
    ("expanded", torch.ones(1, dtype=torch.float64).expand(6)),
    ("with memory of its own", torch.ones(6, dtype=torch.float64)),
):
    signal = signal.detach().requires_grad_()
    spectrum = torch.stft(signal, 4, 2, window=window, center=False, return_complex=True)
    spectrum.real.sum().backward()
    print(name, signal.grad.tolist())
