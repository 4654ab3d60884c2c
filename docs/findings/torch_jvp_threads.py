"""torch.func.jvp keeps the level of forward mode in one variable for all threads: while it runs in several, it raises, or a tangent is 0."""

import sys
import threading

import torch

print("torch", torch.__version__)
raised, wrong = [], []


def work():
    """Push tangents through x³ at 2."""
    for _ in range(50):
        try:
            _, tangent = torch.func.jvp(lambda x: x * x * x, (torch.tensor(2.0),), (torch.tensor(1.0),))
            if tangent.item() != 12.0:
                wrong.append(tangent.item())
        except RuntimeError as error:
            raised.append(str(error))


sys.setswitchinterval(1e-5)
threads = [threading.Thread(target=work) for _ in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(f"{len(raised)} of {50 * len(threads)} calls raised", raised[:1])
print(f"{len(wrong)} tangents are not 12", wrong[:1])
