"""What a process has beside an engine, and the engine has to leave as it is."""

from __future__ import annotations

import gc
import random
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

MODULES = (np, np.linalg, np.random, np.fft)
ERROR_STATE, PRINT_OPTIONS = "NumPy's error state", "NumPy's print options"
RECURSION_LIMIT = "Python's recursion limit"


@dataclass(frozen=True)
class Surroundings:
    """The state of NumPy and of Python that callers share with an engine."""

    functions: dict[tuple[str, str], Any]
    settings: dict[str, Any]

    @staticmethod
    def now(*, is_drawing: bool = False) -> Surroundings:
        """As they are; the random states are left out where it `is_drawing` that changes them."""
        random_states = {
            "NumPy's random state": lambda: [repr(part) for part in _numpy_state()],
            "Python's random state": random.getstate,
        }
        return Surroundings(
            {
                (module.__name__, name): value
                for module in MODULES
                for name, value in vars(module).items()
                if callable(value)
            },
            {
                ERROR_STATE: np.geterr(),
                PRINT_OPTIONS: np.get_printoptions(),
                RECURSION_LIMIT: sys.getrecursionlimit(),
                "Python's cycle collector": gc.isenabled(),
                **({} if is_drawing else {name: state() for name, state in random_states.items()}),
            },
        )

    def changed(self, *, is_drawing: bool = False) -> Iterator[str]:
        """What has changed since."""
        after = Surroundings.now(is_drawing=is_drawing)
        for (module, name), value in self.functions.items():
            if after.functions.get((module, name)) is not value:
                yield f"{module}.{name}"
        yield from (name for name, value in after.settings.items() if self.settings[name] != value)

    def restore(self) -> None:
        """Set back what can be set: functions, error state, print options, recursion limit."""
        for module in MODULES:
            for (owner, name), value in self.functions.items():
                if owner == module.__name__ and vars(module).get(name) is not value:
                    setattr(module, name, value)
        np.seterr(**self.settings[ERROR_STATE])
        np.set_printoptions(**self.settings[PRINT_OPTIONS])
        sys.setrecursionlimit(self.settings[RECURSION_LIMIT])


def _numpy_state() -> tuple[Any, ...]:
    name, keys, *rest = np.random.get_state(legacy=True)
    return name, np.asarray(keys).tobytes(), *rest
