"""torch with its arrays on a GPU: the tape's adapter, with a device.

The project's tests run it on other devices.
"""

from __future__ import annotations

from functools import wraps
from typing import Any, ClassVar

import torch

from conformance.backend import Capability, Function, NDArray
from conformance.errors import AdapterError
from conformance_backends.dialects.of_torch import tape_on
from conformance_backends.torch_backend import TorchTape


class TorchCuda(TorchTape):
    """torch on a GPU: the same calls, with every array there."""

    mode = "cuda"
    repeats = "torch"
    capabilities = TorchTape.capabilities - {Capability.WRITABLE}  # NumPy does not reach that memory
    dialect = tape_on("cuda")
    testers: ClassVar[dict[str, Any]] = {}  # they are the tape's

    def __init__(self, device: str = "cuda") -> None:
        """Raises AdapterError where torch was built for the CPU alone, or finds no GPU."""
        super().__init__()
        if device.startswith("cuda") and not torch.cuda.is_available():
            raise AdapterError(f"torch.cuda is absent: torch {torch.__version__} finds no GPU")
        self.dialect = tape_on(device)  # type: ignore[misc]  # of this object alone
        self._device = torch.device(device)

    def array(self, value: NDArray) -> torch.Tensor:
        """A tensor on the device."""
        return super().array(value).to(self._device)

    def op(self, name: str) -> Function:
        """The op, which makes tensors of its own, such as indices, on the device."""
        function = super().op(name)

        @wraps(function)
        def on_device(*operands: Any, **parameters: Any) -> Any:
            if torch.compiler.is_compiling():  # torch.cond refuses a device as a context
                return function(*operands, **parameters)
            with self._device:
                return function(*operands, **parameters)

        return on_device

    def finish(self, array: Any) -> None:
        """Wait for the device."""
        if self._device.type == "cuda":
            torch.cuda.synchronize(self._device)

    def device(self) -> str:
        """The kind of device."""
        return "gpu" if self._device.type == "cuda" else self._device.type
