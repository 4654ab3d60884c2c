"""MLX: addmm under vmap raises where what is added is mapped and the matrices are not."""

import mlx.core as mx

mx.set_default_device(mx.cpu)
a, b = mx.ones([2, 3]), mx.ones([3, 2])
rows = mx.ones([3, 2, 2])
try:
    print("addmm: got", mx.vmap(lambda c: mx.addmm(c, a, b))(rows).tolist())
except ValueError as error:
    print("addmm:", error)
print("the same by + and @: got", mx.vmap(lambda c: c + a @ b)(rows).tolist())
