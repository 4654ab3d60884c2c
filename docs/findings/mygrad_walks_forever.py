"""MyGrad: writing into a result, after a walk back from it, what was computed from it closes a circle in the graph.

The next walk back goes round it until there is no memory left; here that is cut short after a gigabyte.
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
    print("y was walked back from")
except MemoryError:
    print("MemoryError while walking back from y, expected a refusal: the graph of y was cleared")
