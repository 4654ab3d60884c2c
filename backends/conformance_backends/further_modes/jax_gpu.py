"""jax with its arrays on a GPU: the eager adapter, with a device.

The project's tests run it on a second device of the CPU.
"""

from __future__ import annotations

from typing import Any, ClassVar

import jax

from conformance.backend import NDArray
from conformance.errors import AdapterError
from conformance_backends.dialects.of_jax import on_platform
from conformance_backends.jax_backend import JaxEager


class JaxGpu(JaxEager):
    """jax on a GPU: the same calls, with every array committed to it, and so everything that is computed from them."""

    mode = "gpu"
    repeats = "jax"
    dialect = on_platform("gpu")
    testers: ClassVar[dict[str, Any]] = {}  # they are of functions, not of a mode

    def __init__(self, platform: str = "gpu", number: int = 0) -> None:
        """Raises AdapterError where jax finds no such device."""
        super().__init__()
        self.dialect = on_platform(platform)  # type: ignore[misc]  # of this object alone
        try:
            self._device = jax.devices(platform)[number]
        except (RuntimeError, IndexError) as error:
            raise AdapterError(
                f"jax.{platform} is absent: jax {jax.__version__} finds no such device"
            ) from error

    def array(self, value: NDArray) -> jax.Array:
        """A copy in the memory of the device."""
        return jax.device_put(super().array(value), self._device)

    def device(self) -> str:
        """Where arrays are computed."""
        return str(self._device.platform)
