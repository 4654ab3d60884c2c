"""torch.vmap over some operands of a function, while it captures the others: calls that are refused."""

import torch
import torch.nn.functional as F

print("torch", torch.__version__)
x, values = torch.randn(3, dtype=torch.float64), torch.randn(2, dtype=torch.float64)


def updated(value):
    """The captured vector with another first entry."""
    copy = x.clone()
    copy[0] = value
    return copy


logits, targets = torch.randn(2, 3), torch.tensor([[0, 1], [2, 0]])
rows, c, weights = torch.randn(4, 2, 3), torch.randn(2, 5), [torch.randn(20, 3), torch.randn(20, 5)]
h = torch.randn(2, 5)
v = torch.rand(2, 2, 3) + 1
calls = {
    "a copy written at [0]": lambda: torch.vmap(updated)(values),
    "a copy divided in place": lambda: torch.vmap(lambda y: x.clone().div_(y))(values),
    "atan2_ of a copy": lambda: torch.vmap(lambda y: x.clone().atan2_(y))(torch.stack([x, x + 1])),
    "cross_entropy of captured logits, label smoothing": lambda: torch.vmap(
        lambda t: F.cross_entropy(logits, t, label_smoothing=0.1)
    )(targets),
    "cross_entropy of captured logits": lambda: torch.vmap(lambda t: F.cross_entropy(logits, t))(targets),
    "gaussian_nll_loss": lambda: torch.vmap(lambda v: F.gaussian_nll_loss(logits, logits, v))(v),
    "lstm_cell of captured weights": lambda: torch.vmap(
        lambda x: torch._VF.lstm_cell(x, (h, c), *weights, None, None)
    )(rows),
}
for name, call in calls.items():
    try:
        print(name, "->", "a result of shape", tuple(getattr(call(), "shape", ())))
    except RuntimeError as error:
        print(name, "-> RuntimeError:", str(error).splitlines()[0])
