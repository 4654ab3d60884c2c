"""MyGrad: its switches are the process's, so that graphs built in several threads at once raise or lose gradients."""

import sys
import threading

import mygrad as mg
import numpy as np

print("mygrad", mg.__version__)
raised, lost = [], []


def work():
    """Build graphs with views, and run backward through them."""
    try:
        for _ in range(300):
            x = y = mg.tensor(np.ones((4, 4)))
            for _ in range(10):
                y = (y * 2.0)[...]
            y.backward(np.ones((4, 4)))
            if x.grad is None or not np.array_equal(x.grad, np.full((4, 4), 1024.0)):
                lost.append(x.grad)
    except AttributeError as error:
        raised.append(str(error))


sys.setswitchinterval(1e-5)
threads = [threading.Thread(target=work) for _ in range(8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(f"{len(raised)} of {len(threads)} threads raised", raised[:1])
print(f"{len(lost)} gradients of at most {300 * len(threads)} are not 1024, without an error", lost[:1])
