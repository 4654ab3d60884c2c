"""torch: recurrent layers have no batching rule."""

import torch

print("torch", torch.__version__)
for layer in (torch.nn.LSTM(1, 1), torch.nn.GRU(1, 1)):
    try:
        print(torch.vmap(layer)(torch.ones(2, 3, 1, 1))[0].shape)
    except RuntimeError as error:
        print(type(layer).__name__, str(error).partition("\n")[0])
