"""torch: the gradients of an LSTM's two biases are one array, in float32 on a CPU: writing into the one changes the other."""

import torch

print("torch", torch.__version__)
x, state = torch.ones(2, 1, 1), torch.zeros(1, 1, 1)
weights = torch.ones(4, 1), torch.ones(4, 1)


def states(first, second):
    """The hidden states, as a function of the biases."""
    return torch.lstm(x, (state, state), [*weights, first, second], True, 1, 0.0, True, False, False)[0]


_, pullback = torch.func.vjp(states, torch.ones(4), torch.zeros(4))
first, second = pullback(torch.ones(2, 1, 1))
print("before", second.tolist())
first.fill_(7.0)
print("after 7 is written into the other", second.tolist())
