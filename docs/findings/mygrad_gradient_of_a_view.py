"""MyGrad: the gradient kept at a view is the view of its base's gradient: a stretched array has the sum of its rows in each of them."""

import mygrad as mg

print("mygrad", mg.__version__)
x = mg.tensor([1.0, 2.0])
y = mg.broadcast_to(x, (3, 2))
mg.sum(-y).backward()
print("by x, of which y are three rows", x.grad)
print("by y, -1 for each of its entries", y.grad)
