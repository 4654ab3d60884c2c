"""What an adapter returns, looked at before anything is claimed of it: how many arrays, and whether these are arrays of numbers."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from conformance.backend import Backend
from conformance.errors import AdapterError, error_text, text_of
from conformance.trace import Listed


class WrongCount(AdapterError):
    """An op of the adapter returned more outputs, or fewer, than the catalogue's op has, or none."""


def hold_count(op: str, outputs: Sequence[Any], expected: int) -> None:
    """Raise WrongCount where an op has not as many outputs as are expected, or None in place of one."""
    is_empty = any(output is None for output in outputs)
    if len(outputs) == expected and not is_empty:
        return
    if is_empty and len(outputs) in (1, expected):
        raise WrongCount(
            f"{op} returned None, where an array is expected: does its function return what it computes?"
        )
    kind = "list" if isinstance(outputs, Listed) else "tuple"
    got = {0: f"an empty {kind}", 1: "one array"}.get(len(outputs), f"a {kind} of {len(outputs)}")
    wanted = "one array is" if expected == 1 else f"a tuple of {expected} arrays is"
    raise WrongCount(f"{op} returned {got}, where {wanted} expected")


def hold_no_list(op: str, *, is_of_several: bool) -> None:
    """Raise WrongCount where an op returned its one output in a list, unless it has as many as a parameter says."""
    if not is_of_several:
        raise WrongCount(f"{op} returned a list of one array, where one array is expected")


def converted(backend: Backend, array: Any) -> Any:
    """What the adapter's `numpy` makes of an array; where it raises for none of the engine's arrays, what it was given."""
    try:
        return backend.numpy(array)
    except Exception as error:
        own = _own(backend)
        is_own = type(own) is type(array) and getattr(own, "dtype", None) == getattr(array, "dtype", None)
        if is_own or not isinstance(array, (np.ndarray, np.generic, int, float, complex, list, tuple)):
            raise
        name = f"{type(backend).__name__}.numpy()"
        if not issubclass(type(error), (AttributeError, TypeError)):  # what a value of another class raises
            raise AdapterError(f"{name} raised {error_text(error)}{_place_in(backend, error)}") from error
        given = type(array).__name__
        given += f" of {array.dtype}" if isinstance(array, np.ndarray) else ""
        raise AdapterError(
            f"{name} was given a Python or NumPy value ({given}), where an op or a gradient (what grad(), gradient() "
            f"or a pullback returns) must be the engine's array: {text_of(error)}"
        ) from error


def _own(backend: Backend) -> Any:
    """An array of the engine's, of the first dtype and shape that it has; of one that computes with NumPy's, one of those."""
    for shape in ((1,), (1, 1), ()):
        try:
            return backend.array(np.ones(shape, backend.dtypes[0]))
        except Exception:  # the engine need not have such arrays
            continue
    return None


def _place_in(backend: Backend, error: BaseException) -> str:
    """The innermost line of the adapter's file that an exception passed, ready to follow what it says."""
    file = getattr(sys.modules.get(type(backend).__module__), "__file__", None)
    lines = [n for frame, n in traceback.walk_tb(error.__traceback__) if frame.f_code.co_filename == file]
    return f" at {Path(file).name}:{lines[-1]}" if file and lines else ""


def not_an_array_of_numbers(value: Any) -> str:
    """What something is that is no array of numbers; empty for one that is."""
    if not isinstance(value, np.ndarray):
        return type(value).__name__
    if isinstance(value, (np.ma.MaskedArray, np.matrix, np.recarray)):
        return f"a {type(value).__name__}"
    is_structured = (
        value.dtype.names is not None and value.dtype.itemsize > 0
    )  # one without bytes stands for None
    return f"an array of {value.dtype}" if is_structured or value.dtype.kind in "OSUMmT" else ""
