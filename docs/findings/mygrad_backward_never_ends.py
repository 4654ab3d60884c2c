"""MyGrad: writing into a result, after a backward pass from it, a value computed from it closes a cycle in the graph.

The next backward pass follows the cycle until there is no memory left. Here a limit ends it after a gigabyte.
"""

import resource

import mygrad as mg

print("mygrad", mg.__version__)

x = mg.tensor([-1.0, -1.0], constant=False)
y = x.sum()
z = mg.square(y)
y.backward(3.0)
y[...] = z
print("the value of y is", y.data, "expected 4.0")

resource.setrlimit(resource.RLIMIT_DATA, (2**30, resource.getrlimit(resource.RLIMIT_DATA)[1]))
try:
    y.backward(-3.0)
    print("the backward pass from y has ended")
except MemoryError:
    print("MemoryError in the backward pass from y, expected a refusal: the graph of y was cleared")
