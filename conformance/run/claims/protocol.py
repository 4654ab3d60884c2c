"""Whether an adapter has the methods of what it declares, and whether each takes what the suite gives it."""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from conformance.backend import Backend, Capability, FunctionalBackend, TapeBackend

# What is called where a capability is declared: one of these has to be the adapter's own.
METHODS: Mapping[Capability, tuple[str, ...]] = {
    Capability.CLEARING: ("clear",),
    Capability.FREEZING: ("needs_gradient",),
    Capability.WRITABLE: ("memory",),
    Capability.NO_GRAD: ("no_grad",),
    Capability.DETACH: ("detach",),
    Capability.CUSTOM_RULE: ("custom",),
    Capability.SEVERAL_OUTPUTS: ("custom_by_operand",),
    Capability.NEEDED_OPERANDS: ("custom_by_operand",),
    Capability.FORWARD_RULES: ("custom_forward",),
    Capability.GRAPH: ("graph",),
    Capability.HIGHER_ORDER: ("nested_vjp",),
    Capability.FORWARD: ("jvp",),
    Capability.COMPILING: ("compiled",),
    Capability.VECTORIZING: ("vectorized",),
    Capability.CHECKPOINTING: ("checkpoint",),
    Capability.LOOPS: ("scan", "while_loop"),
    Capability.BRANCHES: ("branch",),
    Capability.RANDOM_NUMBERS: ("noise",),
    Capability.DROPOUT: ("dropout",),
    Capability.HOOKS: ("hook",),
    Capability.ANOMALY: ("anomaly",),
    Capability.RECORDED_WRITES: ("assign",),
    Capability.VALUE_WITH_GRADIENT: ("value_and_gradient",),
    Capability.INTERMEDIATES: ("gradients_within",),
    Capability.STRUCTURES: ("structured_gradient",),
    Capability.JACOBIANS: ("jacobian",),
}
BY_POSITION = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


def slips_of_methods(backend: Backend) -> Iterator[str]:
    """Capabilities without their method, and methods that cannot be called as the protocol says, each as a sentence."""
    face: Any = next(kind for kind in (TapeBackend, FunctionalBackend, Backend) if isinstance(backend, kind))
    for capability in sorted(backend.capabilities, key=lambda c: c.name):
        names = METHODS.get(capability, ())
        if names and not any(_is_own(backend, face, name) for name in names):
            yield f"capabilities: {capability.name} is declared, and there is no {' or '.join(names)}(){_near(backend, face, names)}"
    for name, method in _methods(face).items():
        own: object = getattr(backend, name, None)
        if not callable(own):
            yield f"{name}: it is {type(own).__name__}, where a method is expected: {name}{_written(method)}"
        elif _is_own(backend, face, name) and not _takes(own, method):
            yield f"{name}: it takes {_written(own)}, where {name}{_written(method)} is called"


def _methods(face: type[Backend]) -> dict[str, Callable[..., Any]]:
    found = {name: getattr(face, name) for name in sorted(dir(face)) if not name.startswith("_")}
    return {name: method for name, method in found.items() if inspect.isfunction(method)}


def _is_own(backend: Backend, face: type[Backend], name: str) -> bool:
    method = getattr(backend, name, None)
    return getattr(method, "__func__", method) is not getattr(face, name, None)


def _near(backend: Backend, face: type[Backend], names: tuple[str, ...]) -> str:
    """The adapter's own method whose name is nearly one that is missing."""
    own = [name for name in dir(type(backend)) if not name.startswith("__") and not hasattr(face, name)]
    near = [match for name in names for match in difflib.get_close_matches(name, own, n=1)]
    return f"; is {near[0]}() meant?" if near else ": define it, or do not declare that"


def _takes(own: Callable[..., Any], method: Callable[..., Any]) -> bool:
    """Whether a method may be called as its namesake of the protocol is: with all of its parameters, and with as few."""
    try:
        signature = inspect.signature(own)
    except (TypeError, ValueError):  # of a compiled function, which does not say what it takes
        return True
    parameters = list(inspect.signature(method).parameters.values())[1:]
    for given in (parameters, [p for p in parameters if p.default is p.empty]):
        positions = [p.name for p in given if p.kind in BY_POSITION]
        names = {p.name: None for p in given if p.kind is p.KEYWORD_ONLY}
        try:
            signature.bind(*positions, **names)
        except TypeError:
            return False
    return True


def _written(method: Callable[..., Any]) -> str:
    """The parameters of a method, without their types."""
    signature = inspect.signature(method)
    bare = [p.replace(annotation=p.empty) for p in signature.parameters.values() if p.name != "self"]
    return str(signature.replace(parameters=bare, return_annotation=signature.empty))
