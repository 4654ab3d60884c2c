"""MyGrad: the gradient of cumprod is the product divided by the operand: where the product underflows, it is zero and not one."""

import mygrad as mg

print("mygrad", mg.__version__)
x = mg.tensor([1e-200, 1e-200, 1e200])
mg.cumprod(x)[2].backward()
print("cumprod: got", x.grad.tolist(), "exact", [1.0, 1.0, 0.0])
x = mg.tensor([1e-200, 1e-200, 1e200])
(x[0] * x[1] * x[2]).backward()
print("x0 * x1 * x2: got", x.grad.tolist())
