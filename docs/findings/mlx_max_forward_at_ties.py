"""MLX: at equal entries the gradient of max and min is shared, and the tangent is that of the first alone."""

import mlx.core as mx

mx.set_default_device(mx.cpu)
x = mx.array([1.0, 2.0, 2.0])
for name, function in (("max", mx.max), ("-min", lambda x: -mx.min(-x))):
    along = [mx.jvp(function, [x], [mx.eye(3)[i]])[1][0].item() for i in range(3)]
    print(
        f"{name}: tangents along the entries {along}, gradient {mx.grad(function)(x).tolist()}, expected the same"
    )
