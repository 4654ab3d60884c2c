"""torch keeps the level of forward mode in one variable for all threads: while it runs in several, it raises, or a tangent is 0."""

import sys
import threading

import torch
import torch.autograd.forward_ad as fwAD

CALLS, THREADS = 50, 4


def cube(x):
    """x³, whose slope at 2 is 12."""
    return x * x * x


def by_transform():
    """The tangent of x³ at 2 by torch.func.jvp."""
    return torch.func.jvp(cube, (torch.tensor(2.0),), (torch.tensor(1.0),))[1]


def by_dual_numbers():
    """The same by dual numbers."""
    with fwAD.dual_level():
        return fwAD.unpack_dual(cube(fwAD.make_dual(torch.tensor(2.0), torch.tensor(1.0)))).tangent


def called_in_threads(push):
    """What the calls raise, and the tangents that are not 12."""
    raised, wrong = [], []

    def work():
        for _ in range(CALLS):
            try:
                tangent = push()
            except RuntimeError as error:
                raised.append(str(error))
            else:
                if tangent is None or tangent.item() != 12.0:
                    wrong.append(tangent)

    threads = [threading.Thread(target=work) for _ in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return raised, wrong


print("torch", torch.__version__)
sys.setswitchinterval(1e-5)
for name, push in (("torch.func.jvp", by_transform), ("dual numbers", by_dual_numbers)):
    raised, wrong = called_in_threads(push)
    print(f"{name}: {len(raised)} of {CALLS * THREADS} calls raised", sorted(set(raised)))
    print(f"{name}: {len(wrong)} tangents are not 12", wrong[:1])
