"""jax on a GPU: the gradient of atan2 by its second operand is infinite where it is 1e304, at subnormal operands."""

import jax
import jax.numpy as jnp

jax.config.update("jax_enable_x64", True)
print("jax", jax.__version__)
y, x = 1.5617e-320, -1.76510922316e-312
for platform in ("cpu", "gpu"):
    try:
        device = jax.devices(platform)[0]
    except RuntimeError as error:
        print(error)
        continue
    operands = [jax.device_put(jnp.float64(v), device) for v in (y, x)]
    _, pullback = jax.vjp(jnp.arctan2, *operands)
    gradients = [gradient.item() for gradient in pullback(jnp.ones_like(operands[0]))]
    print(platform, "expected -inf (it is -5.7e311) and -5.01e303, got", gradients)
