"""torch: reverse mode over forward mode raises, because the tangent's formula overwrites what it saved, or has no derivative."""

import torch
import torch.nn.functional as F
from torch.autograd import forward_ad

torch.manual_seed(0)
x0, along = torch.randn(4, 3, dtype=torch.float64), torch.randn(4, 3, dtype=torch.float64)
target = torch.tensor([0, 1, 2, 0])
print("torch", torch.__version__)
for name, function in (
    ("softmax", lambda x: torch.softmax(x, 0)),
    ("log_softmax", lambda x: torch.log_softmax(x, 0)),
    ("logsumexp", lambda x: torch.logsumexp(x, 0)),
    ("logcumsumexp", lambda x: torch.logcumsumexp(x, 0)),
    ("cross_entropy", lambda x: F.cross_entropy(x, target)),
    ("glu", lambda x: F.glu(x, 0)),
    ("slogdet", lambda x: torch.linalg.slogdet(x[:3])[1]),
    ("logdet", lambda x: torch.logdet(x[:3])),
):
    x = x0.clone().requires_grad_()
    try:
        with forward_ad.dual_level():
            tangent = forward_ad.unpack_dual(function(forward_ad.make_dual(x, along))).tangent
        tangent.sum().backward()
        print(f"{name:13} differentiates")
    except RuntimeError as error:
        print(f"{name:13} RuntimeError:", str(error).splitlines()[0][:90])
