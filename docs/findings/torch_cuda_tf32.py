"""torch on a GPU: cuDNN may compute float32 convolutions and recurrent layers with ten bits of each factor; documented."""

import torch
import torch.nn.functional as F

print("torch", torch.__version__, "torch.backends.cudnn.allow_tf32 =", torch.backends.cudnn.allow_tf32)
x = torch.tensor([-1.17472613, -2.71425962, -2.54664135, -2.85203457, -1.90743446, 1.91131794, 0.87914610, 2.35497117, -0.00773128,
                  0.57783198, 2.71242833, 1.39206243, 0.76471895, 0.26153851, 0.36336777, 2.54972100, -1.20191646, 1.89355421])  # fmt: skip
weight = torch.tensor(
    [2.64714885, 0.87753540, 1.98102415, 1.12358356, 1.28894877, -0.58159566, 2.23577952, -2.11784697]
)
cotangent = torch.tensor([-1.0, -1.75, 1.25, -2.5])


def gradient(device, dtype):
    """The gradient of a convolution by its weight."""
    w = weight.to(device, dtype, copy=True).reshape(1, 1, 2, 2, 2).requires_grad_()
    y = F.conv3d(x.to(device, dtype).reshape(1, 1, 2, 3, 3), w)
    y.backward(cotangent.to(device, dtype).reshape(y.shape))
    return w.grad.to("cpu", torch.float64)


exact = gradient("cpu", torch.float64)
for device in ("cpu", "cuda") if torch.cuda.is_available() else ("cpu",):
    for torch.backends.cudnn.allow_tf32 in (True, False):
        error = (gradient(device, torch.float32) - exact).abs().max() / exact.abs().max()
        allowed = "allowed" if torch.backends.cudnn.allow_tf32 else "not allowed"
        print(f"{device}, {allowed}: the relative error of a gradient of conv3d is {error.item():.2g}")
if not torch.cuda.is_available():
    print("a GPU is needed to show more")
