"""torch: pixel_shuffle and pixel_unshuffle take tensors of five axes, but not in the memory format channels_last_3d."""

import torch
import torch.nn.functional as F

print("torch", torch.__version__)
x = torch.arange(48.0).reshape(1, 3, 4, 2, 2)
for shuffle in (F.pixel_shuffle, F.pixel_unshuffle):
    print(shuffle.__name__, "in C order", tuple(shuffle(x, 2).shape))
    try:
        print(tuple(shuffle(x.contiguous(memory_format=torch.channels_last_3d), 2).shape))
    except RuntimeError as error:
        print(shuffle.__name__, "with the channels last, RuntimeError:", error)
