"""torch: the gradient of ctc_loss with respect to its log-probabilities is that with respect to logits, from which a softmax made them."""

import torch
import torch.nn.functional as F

print("torch", torch.__version__)
target = torch.tensor([[1]])


def loss(log_probs):
    """One label in two steps, of two classes."""
    return F.ctc_loss(log_probs, target, (2,), (1,), reduction="sum")


def written_out(log_probs):
    """The three alignments that spell it."""
    a, b = log_probs[:, 0]
    return -torch.logsumexp(torch.stack([a[1] + b[1], a[1] + b[0], a[0] + b[1]]), 0)


normalised = torch.full((2, 1, 2), 0.5, dtype=torch.float64).log()
for what, value in (("probabilities of 1/2", normalised), ("not normalised", normalised - 1)):
    for name, function in (("ctc_loss", loss), ("written out", written_out)):
        x = value.clone().requires_grad_()
        z = function(x)
        z.backward()
        print(f"{what}, {name}: {z.item():.6f}, gradient {x.grad.ravel().tolist()}")

print(
    "torch.autograd.gradcheck:",
    torch.autograd.gradcheck(loss, normalised.clone().requires_grad_(), raise_exception=False),
)

# torch.func, with a mean and lengths that are numbers; with lengths as tensors it answers.
try:
    torch.func.grad(lambda x: F.ctc_loss(x, target, (2,), (1,), reduction="mean"))(normalised)
except RuntimeError as error:
    print("torch.func.grad of a mean: RuntimeError:", error)
