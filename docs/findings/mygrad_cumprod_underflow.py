"""MyGrad: the gradients of prod and cumprod are the product divided by the operand: where the product underflows, zero and not one."""

import mygrad as mg

print("mygrad", mg.__version__)
for name, product in (("cumprod", lambda x: mg.cumprod(x)[2]), ("prod", mg.prod)):
    x = mg.tensor([1e-200, 1e-200, 1e200])
    product(x).backward()
    print(f"{name}: got", x.grad.tolist(), "exact", [1.0, 1.0, 0.0])
x = mg.tensor([1e-200, 1e-200, 1e200])
(x[0] * x[1] * x[2]).backward()
print("x0 * x1 * x2: got", x.grad.tolist())
