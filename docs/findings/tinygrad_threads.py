"""tinygrad: tensors that several threads compute at once raise."""

import threading

import numpy as np
from tinygrad import Tensor

errors = []


def differentiate(size):
    """Squares, in a thread of their own."""
    try:
        for columns in range(1, 6):
            x = Tensor(np.ones((size, columns))).clone()
            (x * x).sum().backward()
            x.grad.numpy()
    except BaseException as error:
        errors.append(f"{type(error).__name__}: {str(error).splitlines()[0]}")


threads = [threading.Thread(target=differentiate, args=(size,)) for size in range(3, 7)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(len(errors), "of 4 threads raised;", *sorted(set(errors))[:2])
