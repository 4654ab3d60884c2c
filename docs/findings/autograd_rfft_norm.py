"""autograd: the gradients of rfft, irfft, rfftn and irfftn have the factor of norm=None alone; of norm="forward" they are off by one of n."""

import autograd
import autograd.numpy as np

x, g = np.arange(1.0, 5.0), np.array([1.0, 0.5, 0.25])
y = x[:3] + 0j
for norm in (None, "forward", "backward"):
    gradient = autograd.grad(lambda a, norm=norm: np.sum(g * np.real(np.fft.rfft(a, None, -1, norm))))(x)
    back = autograd.grad(lambda a, norm=norm: np.sum(x * np.fft.irfft(a, None, -1, norm)))(y)
    along = autograd.grad(lambda a, norm=norm: np.sum(g * np.real(np.fft.rfftn(a, None, None, norm))))(x)
    print("rfftn the same as rfft:", np.array_equal(along, gradient))
    print("norm", norm, "rfft", gradient.tolist(), "irfft", np.real(back).tolist())
print(
    "None and 'backward' are the same to NumPy, and 'forward' is a quarter of them for rfft, and four times for irfft"
)
