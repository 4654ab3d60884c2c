"""What an adapter declares is checked when it is described: every name in it must exist."""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection, Iterator, Mapping, Set
from string import Formatter

from conformance.backend import NAME, Backend, Capability, Dialect
from conformance.checks.point_observation import RAISES
from conformance.clauses import STANDARD
from conformance.dialect import AS_THEY_STAND, FURTHER_PLACEHOLDERS, PLACEHOLDERS
from conformance.dtype import HALF
from conformance.errors import AdapterError, UsageError, error_text
from conformance.ops import ALL_OPS, find, require_canonical
from conformance.points import SPECIAL_POINTS
from conformance.questions.kind import first_few
from conformance.run.claims.protocol import slips_of_methods
from conformance.run.mapped.findings import place_of

LONGEST_NAME = 100
FEW = 50  # names that a message lists: all clauses that have conventions, and not all points
NAMES = "a set of names"
MEMBERS: Mapping[str, tuple[type | tuple[type, ...], str]] = {  # what each is to be, and that in words
    "mode": (str, "a text"),
    "dtypes": ((tuple, list), "a tuple of names"),
    "repeats": (str, "a text"),
    "is_spelling": (bool, "True or False"),
    "compiles_signatures": (bool, "True or False"),
    "compiles_functions": (bool, "True or False"),
    "no_gradient": (Mapping, "a dict from a dtype to the names of ops"),
    "lacks": (Mapping, "a dict from an op to a dict"),
    "capabilities": (Set, "a set of Capability"),
    "conventions": (Mapping, "a dict from a clause to a convention"),
    "points": (Mapping, "a dict from a point to a convention"),
    "spells": (Set, NAMES),
    "respells": (Set, "a set of Capability"),
    "testers": (Mapping, "a dict from a name to a function"),
    "dialect": ((Dialect, type(None)), "a Dialect"),
}
DTYPES = ("float64", "float32", *sorted(HALF), "complex128", "complex64")


def hold_declarations(backend: Backend) -> None:
    """Raise AdapterError, which names every slip with the nearest that exists, unless all declarations are known."""
    try:
        _hold_name(backend)
        slips = [f"{type(backend).__name__}.{slip}" for slip in slips_of(backend)]
    except AdapterError:
        raise
    except Exception as error:  # a declaration may be code of the adapter's, or no declaration at all
        place = place_of(error, backend)
        raise AdapterError(
            f"what {type(backend).__name__} declares cannot be read: {error_text(error)}\n"
            + (f"raised at {place}\n" if place else "")
            + "docs/adapter.md says what each member of an adapter is"
        ) from error
    if slips:
        raise AdapterError("the adapter declares what does not exist:\n  " + "\n  ".join(slips))


def _hold_name(backend: Backend) -> None:
    kind = type(backend).__name__
    texts = {"version() returned": backend.version(), "engine is": backend.engine}
    for what, text in texts.items():
        if (
            not isinstance(text, str)
            or not text.strip()
            or len(text.splitlines()) > 1
            or len(text) > LONGEST_NAME
        ):
            shown = _shown(text) if isinstance(text, str) else type(text).__name__
            raise AdapterError(
                f"{kind}.{what} {shown}, where a text is expected: a line of 1 to {LONGEST_NAME} characters"
            )
    name: object = backend.name
    if not isinstance(name, str) or not NAME.fullmatch(name) or len(name) > LONGEST_NAME:
        raise AdapterError(
            f"{kind}.name is {_shown(name)}, and begins every id and query: "
            "give it a name of letters, digits, dots, '-' and '_', which begins with neither a dot nor '-'"
        )


def _shown(text: object) -> str:
    """What it is, cut where it is long."""
    return repr(text[:LONGEST_NAME] if isinstance(text, str) else text)[: 2 * LONGEST_NAME]


def slips_of(backend: Backend) -> Iterator[str]:
    """What an adapter declares that does not exist, each as a sentence."""
    ops: object = backend.ops
    if not isinstance(ops, Mapping):
        yield f"ops: it is {type(ops).__name__}, where names and their functions are expected: {{'tanh': …}}"
        return
    if mistyped := [*_mistyped_entries("ops", ops), *_mistyped(backend)]:
        yield from mistyped
        return
    for name, function in backend.ops.items():
        yield from _unless_op(name, "ops")
        if not callable(function):
            yield f"ops: {name!r} is {type(function).__name__}, not a function"
    if backend.repeats and backend.repeats.partition(".")[0] != backend.engine:
        yield f"repeats: {_shown(backend.repeats)} is no backend of {backend.engine}"
    yield from _unless_all_known(backend.dtypes, DTYPES, "dtypes")
    if not backend.dtypes:
        yield "dtypes: there must be one"
    if len(set(backend.dtypes)) < len(backend.dtypes):
        yield f"dtypes: one stands there twice: {', '.join(backend.dtypes)}"
    yield from _unless_all_known(backend.no_gradient, (*DTYPES, "*"), "no_gradient")
    for names in backend.no_gradient.values():
        for name in sorted(names):
            yield from _unless_op(name, "no_gradient")
    for name, lacking in backend.lacks.items():
        yield from _unless_op(name, "lacks")
        known = _parameters(name)
        if known:
            yield from _unless_all_known(lacking, known, f"lacks of {name}")
        elif lacking and name in ALL_OPS:
            yield f"lacks of {name}: there is no {next(iter(lacking))!r}; the op has no parameters"
    for capability in backend.capabilities:
        if not isinstance(capability, Capability):
            yield f"capabilities: {capability!r} is not a Capability"
            return
    yield from slips_of_methods(backend)
    yield from _conventions(backend)
    yield from _unless_all_known(backend.points, SPECIAL_POINTS, "points")
    for key, convention in backend.points.items():
        if key in SPECIAL_POINTS:
            conventions = (*SPECIAL_POINTS[key].conventions, RAISES)
            yield from _unless_all_known([convention], conventions, f"points of {key}")
    if backend.dialect is not None:
        yield from _dialect(backend.dialect)
    yield from _unless_all_known(backend.spells, backend.ops, "spells")
    for capability in backend.respells - backend.capabilities:
        yield f"respells: {capability} is not among the capabilities"


def _mistyped(backend: Backend) -> Iterator[str]:
    """What an adapter declares that is no declaration: whoever reads it next would raise, and name no member."""
    for name, (kind, words) in MEMBERS.items():
        declared = getattr(backend, name)
        if not isinstance(declared, kind):
            yield f"{name}: it is {type(declared).__name__}, where {words} is expected"
        elif isinstance(declared, Mapping):
            yield from _mistyped_entries(name, declared)


def _mistyped_entries(name: str, declared: Mapping[object, object]) -> Iterator[str]:
    for key, value in declared.items():
        found = type(value).__name__
        if not isinstance(key, str):
            yield f"{name}: {key!r} is {type(key).__name__}, where a name is expected"
        elif name in ("conventions", "points") and not isinstance(value, str):
            yield f"{name} of {key}: it is {found}, where the name of a convention is expected"
        elif name == "testers" and not callable(value):
            yield f"testers of {key}: it is {found}, where a function is expected"
        elif name == "no_gradient" and not _is_collection(value):
            yield f"no_gradient of {key}: it is {found}, where {NAMES} is expected"
        elif name == "lacks" and not isinstance(value, Mapping):
            yield f"lacks of {key}: it is {found}, where a dict from a parameter to a tuple of values is expected"
        elif name == "lacks" and isinstance(value, Mapping):
            for parameter, values in value.items():
                if not _is_collection(values):
                    found = type(values).__name__
                    yield f"lacks of {key}, {parameter}: it is {found}, where a tuple of values is expected"


def _is_collection(value: object) -> bool:
    return isinstance(value, Collection) and not isinstance(value, str)


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


def _dialect(dialect: Dialect) -> Iterator[str]:
    """Templates of no method, and what stands in braces in one and is replaced by nothing."""
    yield from _unless_all_known(dialect.further, FURTHER_PLACEHOLDERS, "dialect.further")
    placeholders = {**PLACEHOLDERS, **FURTHER_PLACEHOLDERS}
    for field, text in dialect.templates.items():
        where = f"dialect.{'further: ' if field in dialect.further else ''}{field}"
        if not isinstance(text, str):
            yield f"{where}: it is {type(text).__name__}, where a text is expected"
        elif field in placeholders and field not in AS_THEY_STAND:
            try:
                found = [name for _, name, _, _ in Formatter().parse(text) if name is not None]
            except ValueError as error:  # a brace without its other one
                yield f"{where}: {_shown(text)} is no template: {error}; a brace itself is written twice"
                continue
            names = [re.split(r"[.\[]", name)[0] for name in found]  # {array.T} is of {array}
            yield from _unless_all_known(names, placeholders[field], where)


def _unless_op(name: str, where: str) -> Iterator[str]:
    try:
        require_canonical(name, where)
    except UsageError as error:
        yield str(error)


def _unless_all_known(names: Collection[str], known: Collection[str], where: str) -> Iterator[str]:
    for name in names:
        if name not in known:
            near = difflib.get_close_matches(str(name), known, n=3, cutoff=0.4)
            few = first_few(list(known), FEW)
            hint = f"did you mean {' or '.join(near)}?" if near else f"there are {few}"
            yield f"{where}: there is no {name!r}; {hint}"


def _parameters(name: str) -> list[str]:
    if name not in ALL_OPS:
        return []
    return list(find(name).law(lambda options: options[0]).parameters)
