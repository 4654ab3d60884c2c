"""The ops of a backend without those of which workers died."""

from __future__ import annotations

from collections.abc import Mapping, Set

from conformance.backend import Function
from conformance.errors import Unsupported


class Without(dict[str, Function]):
    """Ops but for those of which processes died; naming one of these says why it is not there."""

    def __init__(self, ops: Mapping[str, Function], names: Set[str]) -> None:
        super().__init__({name: op for name, op in ops.items() if name not in names})
        self.names = names

    def __missing__(self, name: str) -> Function:
        if name in self.names:
            raise Unsupported(f"{name} ended the process, so it is left out here")
        raise KeyError(name)
