"""What an adapter declares is checked when it is described: every name in it must exist."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterator, Mapping

from conformance.backend import Backend, Capability
from conformance.clauses import STANDARD
from conformance.dtype import HALF
from conformance.errors import AdapterError, UsageError, error_text
from conformance.ops import ALL_OPS, find, require_canonical
from conformance.points import SPECIAL_POINTS

LONGEST_NAME = 100
DTYPES = ("float64", "float32", *sorted(HALF), "complex128", "complex64")


def hold_declarations(backend: Backend) -> None:
    """Raise AdapterError, which names every slip with the nearest that exists, unless all declarations are known."""
    try:
        _hold_name(backend)
        slips = [f"{type(backend).__name__}.{slip}" for slip in slips_of(backend)]
    except AdapterError:
        raise
    except Exception as error:  # a declaration may be code of the adapter's, or no declaration at all
        raise AdapterError(
            f"what {type(backend).__name__} declares cannot be read: {error_text(error)}\n"
            "docs/adapter.md says what each member of an adapter is"
        ) from error
    if slips:
        raise AdapterError("the adapter declares what does not exist:\n  " + "\n  ".join(slips))


def _hold_name(backend: Backend) -> None:
    version: object = backend.version()
    if not isinstance(version, str):
        found = type(version).__name__
        raise AdapterError(f"{type(backend).__name__}.version() returned {found}, where a text is expected")
    name: object = backend.name
    if (
        not isinstance(name, str)
        or not name.isprintable()
        or set(name) & set("/*")
        or len(name) > LONGEST_NAME
    ):
        shown = repr(name[:LONGEST_NAME] if isinstance(name, str) else name)
        raise AdapterError(
            f"{type(backend).__name__}.name is {shown}, and begins every id and query: "
            "give it a name of letters, digits, dots, '-' and '_'"
        )


def slips_of(backend: Backend) -> Iterator[str]:
    """What an adapter declares that does not exist, each as a sentence."""
    ops: object = backend.ops
    if not isinstance(ops, Mapping):
        yield f"ops: it is {type(ops).__name__}, where names and their functions are expected: {{'tanh': …}}"
        return
    for name, function in backend.ops.items():
        yield from _unless_op(name, "ops")
        if not callable(function):
            yield f"ops: {name!r} is {type(function).__name__}, not a function"
    yield from _unless_all_known(backend.dtypes, DTYPES, "dtypes")
    if not backend.dtypes:
        yield "dtypes: there must be one"
    yield from _unless_all_known(backend.no_gradient, (*DTYPES, "*"), "no_gradient")
    for names in backend.no_gradient.values():
        for name in sorted(names):
            yield from _unless_op(name, "no_gradient")
    for name, lacking in backend.lacks.items():
        yield from _unless_op(name, "lacks")
        known = _parameters(name)
        yield from _unless_all_known(lacking, known, f"lacks of {name}") if known else ()
    for capability in backend.capabilities:
        if not isinstance(capability, Capability):
            yield f"capabilities: {capability!r} is not a Capability"
    yield from _conventions(backend)
    yield from _unless_all_known(backend.points, SPECIAL_POINTS, "points")
    yield from _unless_all_known(backend.spells, backend.ops, "spells")
    for capability in backend.respells - backend.capabilities:
        yield f"respells: {capability} is not among the capabilities"


def _conventions(backend: Backend) -> Iterator[str]:
    choosing = [number for number, clause in STANDARD.items() if clause.conventions]
    for key, convention in backend.conventions.items():
        number, _, op = key.partition("/")
        if number not in choosing:
            yield from _unless_all_known([number], choosing, "conventions")
        else:
            conventions = STANDARD[number].conventions
            yield from _unless_all_known([convention], conventions, f"conventions of {number}")
        if op:
            yield from _unless_op(op, "conventions")


def _unless_op(name: str, where: str) -> Iterator[str]:
    try:
        require_canonical(name, where)
    except UsageError as error:
        yield str(error)


def _unless_all_known(names: Collection[str], known: Collection[str], where: str) -> Iterator[str]:
    for name in names:
        if name not in known:
            near = difflib.get_close_matches(str(name), known, n=3, cutoff=0.4)
            hint = f"did you mean {' or '.join(near)}?" if near else f"there are {', '.join(known)}"
            yield f"{where}: there is no {name!r}; {hint}"


def _parameters(name: str) -> list[str]:
    if name not in ALL_OPS:
        return []
    return list(find(name).law(lambda options: options[0]).parameters)
