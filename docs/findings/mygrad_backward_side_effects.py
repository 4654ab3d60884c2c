"""MyGrad: a use of a leaf, or a backward pass, changes the gradients of other uses and other backward passes."""

import mygrad as mg

print("mygrad", mg.__version__)

x = mg.tensor([1.0, 2.0], constant=False)
x.backward([5.0, 6.0])
constant = mg.tensor([0.0, 0.0], constant=True)
constant[...] = x
print("after x is written into a constant, its gradient is", x.grad, "expected [5. 6.]")

x = mg.tensor([1.0, 2.0], constant=False)
(2 * x).backward([1.0, 1.0])
3 * x
print("after x is used again, its gradient is", x.grad, "expected [2. 2.]")

x = mg.tensor([1.0, 2.0], constant=False)
first, second = 2 * x, 3 * x
first.backward([1.0, 1.0])
try:
    second.backward([1.0, 1.0])
    print("after backward passes from two outputs of x, its gradient is", x.grad)
except mg.errors.InvalidBackprop as error:
    print("the second of two outputs of x has no backward pass:", str(error).split(".")[0])

x = mg.tensor([[2.0, -2.0], [3.0, 3.0]], constant=False)
y = x @ x
view = y[0]
y.backward([[2.0, 2.0], [-2.0, 2.0]])
view[0] = -3.0
print(
    "after a backward pass, writing into y[0] leaves y",
    y.data.tolist(),
    "expected [[-3.0, -10.0], [15.0, 3.0]]",
)

x = mg.tensor([1.0, 2.0], constant=False)
y = x * x
y.backward([3.0, -2.0])
view = y[:]
try:
    view[...] = 5.0
    print("a view that was taken after a backward pass can be written")
except AssertionError as error:
    print("a view that was taken after a backward pass cannot be written:", error)
