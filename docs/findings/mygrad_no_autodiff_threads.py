"""MyGrad: no_autodiff is one switch of the whole process: a scope in one thread stops the others' recording."""

import threading

import mygrad as mg

print("mygrad", mg.__version__)


def work():
    """Compute a gradient."""
    x = mg.tensor(3.0)
    (x * x).backward()
    print("the gradient of x * x at 3, computed in a thread beside a no_autodiff scope:", x.grad)


with mg.no_autodiff:
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
work()
