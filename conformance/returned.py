"""What the methods of an adapter return is what the protocol says, or an error that names the method."""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any

from conformance.errors import AdapterError
from conformance.trace import Trace

OUTPUTS = "a tuple of the outputs"
PAIRS = {
    "vjp": "a pair of tuples, the outputs and the gradients,",
    "jvp": "a pair of tuples, the outputs and their tangents,",
}
WHAT_IS_RETURNED = "docs/adapter.md says what each member returns"


def hold_returned(adapter: type) -> None:
    """Wrap the methods that a class of adapters defines itself, so that each says what it returns otherwise than expected."""
    for name in ("forward", *PAIRS, "trace"):
        method = vars(adapter).get(name)
        if callable(method):
            setattr(adapter, name, _held(name, method))


def _held(name: str, method: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(method)
    def held(self: Any, *given: Any, **named: Any) -> Any:
        found = method(self, *given, **named)
        if said := _otherwise(name, found):
            raise AdapterError(f"{type(self).__name__}.{name}() returns {said}")
        return found

    return held


def _otherwise(name: str, found: Any) -> str:
    """What is expected of a method, and what it returned; empty where that is as expected."""
    if name == "forward":
        return "" if _is_tuple(found) else f"{OUTPUTS}, got {_kind(found)}"
    if name == "trace":
        return _of_trace(found)
    if not _is_tuple(found) or (isinstance(found, Collection) and len(found) != 2):
        count = f" of {len(found)}" if isinstance(found, (tuple, list)) else ""
        return f"{PAIRS[name]} got {_kind(found)}{count}"
    if isinstance(found, (tuple, list)) and not all(map(_is_tuple, found)):
        return f"{PAIRS[name]} got {' and '.join(map(_kind, found))}"
    return ""


def _of_trace(found: Any) -> str:
    if not isinstance(found, Trace):
        return f"a conformance.backend.Trace, got {_kind(found)}"
    return (
        "" if _is_tuple(found.outputs) else f"a Trace whose `outputs` are a tuple, got {_kind(found.outputs)}"
    )


def _is_tuple(found: Any) -> bool:
    """Whether it is one thing after another, and no array, whose rows it would be taken for."""
    is_one = isinstance(found, (str, bytes, Mapping)) or hasattr(type(found), "shape")
    return isinstance(found, Iterable) and not is_one


def _kind(found: Any) -> str:
    return "None" if found is None else type(found).__name__
