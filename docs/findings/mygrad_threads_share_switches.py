"""MyGrad: its switches are the process's, so that graphs built in several threads at once raise now and then."""

import sys
import threading

import mygrad as mg
import numpy as np

print("mygrad", mg.__version__)
raised = []


def work():
    """Build graphs with views, and run backward through them."""
    try:
        for _ in range(300):
            y = mg.tensor(np.ones((4, 4)))
            for _ in range(10):
                y = (y * 2.0)[...]
            y.backward(np.ones((4, 4)))
    except AttributeError as error:
        raised.append(str(error))


sys.setswitchinterval(1e-5)
threads = [threading.Thread(target=work) for _ in range(8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(f"{len(raised)} of {len(threads)} threads raised", raised[:1])
