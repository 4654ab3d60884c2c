"""MyGrad: a second backward through a graph that the first has cleared is neither refused nor done; the leaf keeps its old gradient."""

import mygrad as mg

print("mygrad", mg.__version__)
x = mg.tensor([1.0, 2.0, -3.0])
y = x * x
y.backward([1.0, 1.0, 1.0])
print("first backward       ", x.grad.tolist())
y.backward([10.0, 10.0, 10.0])
print("second, ten times it ", x.grad.tolist(), "expected [20.0, 40.0, -60.0], or an error")
