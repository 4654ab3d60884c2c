"""The page of the engines, in Markdown: what `explain engines -o FILE` writes.

Its fixed text is a template, `templates/engines.md` beside the page. The tables come from the installed adapters,
from the known failures, and from the counts of recorded runs in `data/engines.json` beside the page.
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import get_args

from conformance.backend import Backend
from conformance.cli.pages.engines_data import Recorded, read_recorded
from conformance.runfile.clause_counts import clause_table
from conformance.runfile.known import Kind, KnownFailure
from conformance.runfile.known_file import read_known

COMMAND = "conformance explain engines -o docs/engines.md"
DATA, TEMPLATE = "data/engines.json", "templates/engines.md"
FEW = 6  # ops that a row of the known failures names
KINDS = get_args(Kind)[1:] + get_args(Kind)[:1]  # the order of rows, those that nobody has judged last

Table = Iterator[str]
Cause = tuple[Kind, str, str, str]  # with its reason, its script and its page
Link = Callable[[str], str]  # from a script beside the known failures to where the page finds it


def engines_page(folder: Path, known: Path) -> str:
    """The page that stands in `folder`.

    Args:
        folder: holds the template and the recorded counts.
        known: the known-failures file.

    Raises:
        UsageError: if one of the files is missing or damaged.
        AdapterError: if an installed adapter cannot start.
    """
    from conformance.load import load_backend, registered

    backends = [load_backend(name) for name in registered()]
    recorded = read_recorded(folder / DATA)

    def link(script: str) -> str:
        return Path(os.path.relpath(known.parent / script, folder)).as_posix()

    return _filled(
        folder / TEMPLATE,
        {
            "who": who(backends),
            "conventions": conventions(backends),
            "capabilities": capabilities(backends),
            "points": points(backends),
            "runs": recorded_runs(backends, recorded),
            "clauses": clauses(backends, recorded),
            "known": known_failures(backends, read_known(known), link),
        },
    )


def _filled(template: Path, tables: Mapping[str, Iterable[str]]) -> str:
    from jinja2 import Environment, StrictUndefined, TemplateError

    from conformance.errors import UsageError

    environment = Environment(undefined=StrictUndefined, autoescape=False, keep_trailing_newline=True)
    try:
        source = environment.from_string(template.read_text(encoding="utf-8"))
        return source.render({name: "\n".join(lines) for name, lines in tables.items()}, command=COMMAND)
    except OSError as error:
        raise UsageError(f"cannot read {template}: {error.strerror}") from None
    except TemplateError as error:
        raise UsageError(f"{template} is not a template of this page: {error}") from None


# ---- what the adapters say -----------------------------------------------------------------------------


def who(backends: Sequence[Backend]) -> Table:
    """A row per backend: the version, how many ops it has, and its adapter's first paragraph."""
    from conformance.ops import CATALOGUE, FLAT

    yield from _head("backend", "version", "ops", "flat ops", "what it is")
    for backend in backends:
        counts = (str(len(set(backend.ops) & set(rows))) for rows in (CATALOGUE, FLAT))
        yield _row(f"`{backend.name}`", _version(backend), *counts, description(backend))


def description(backend: Backend) -> str:
    """The first paragraph of the adapter's docstring on one line."""
    first, _, _ = (inspect.getdoc(type(backend)) or "").partition("\n\n")
    return _escaped(" ".join(first.split()))


def conventions(backends: Sequence[Backend]) -> Table:
    """A row per clause that leaves a choice: the convention that each adapter declares."""
    from conformance.clauses import STANDARD

    yield from _head("clause", *_names(backends))
    for number, clause in STANDARD.items():
        if clause.conventions:
            yield _row(number, *(backend.conventions.get(number, "") for backend in backends))


def capabilities(backends: Sequence[Backend]) -> Table:
    """A row per capability, with a mark for each backend that declares it."""
    from conformance.backend import Capability

    yield from _head("capability", *_names(backends))
    for capability in Capability:
        yield _row(capability.label, *("✓" * (capability in backend.capabilities) for backend in backends))


def points(backends: Sequence[Backend]) -> Table:
    """A row per special point at which the declared conventions differ."""
    from conformance.points import SPECIAL_POINTS

    yield from _head("point", *_names(backends))
    for key in SPECIAL_POINTS:
        declared = [backend.points.get(key, "") for backend in backends]
        if len(set(filter(None, declared))) > 1:
            yield _row(f"`{key}`", *declared)


# ---- what runs counted ---------------------------------------------------------------------------------


def recorded_runs(backends: Sequence[Backend], recorded: Mapping[str, Recorded]) -> Table:
    """A line per backend: from which run its counts come."""
    for backend in backends:
        if record := recorded.get(backend.name):
            yield f"- `{backend.name}`: version {record.version}, profile {record.profile}, seed {record.seed}"
        else:
            yield f"- `{backend.name}`: no run is recorded"


def clauses(backends: Sequence[Backend], recorded: Mapping[str, Recorded]) -> Table:
    """A row per clause: how many checks of it held on each backend."""
    counts = {name: record.clauses for name, record in recorded.items()}
    return clause_table([backend.name for backend in backends], counts, _escaped)


# ---- what is known to be wrong ---------------------------------------------------------------------------


def known_failures(backends: Sequence[Backend], known: Iterable[KnownFailure], link: Link) -> Table:
    """A section per engine: a row per cause, faults first, with the backends that show it."""
    engine_of = {backend.name: backend.engine for backend in backends}
    causes: dict[str, dict[Cause, list[str]]] = {backend.engine: {} for backend in backends}
    for entry in known:
        cause = (entry.kind, entry.reason, entry.script, entry.link)
        for identifier in entry.ids:
            name = identifier.partition("/")[0]
            by_cause = causes.setdefault(engine_of.get(name, name.partition(".")[0].rstrip("*")), {})
            by_cause.setdefault(cause, []).append(identifier)
    versions = {backend.engine: _version(backend) for backend in backends}
    for engine, found in causes.items():
        yield from (f"### {engine} {versions.get(engine, '')}".rstrip(), "")
        if found:
            yield from _head("failure", "kind", "of", "found on")
            for cause in sorted(found, key=lambda cause: KINDS.index(cause[0])):
                yield _known_row(*cause, found[cause], link)
        else:
            yield "No known failures."
        yield ""


def _known_row(kind: str, reason: str, script: str, page: str, identifiers: Sequence[str], link: Link) -> str:
    subjects = list(dict.fromkeys(map(_subject, identifiers)))
    of = ", ".join(subjects[:FEW]) + " …" * (len(subjects) > FEW)
    seen = dict.fromkeys(f"`{identifier.partition('/')[0]}`" for identifier in identifiers)
    what = f"[{_escaped(reason)}]({link(script)})" if script else _escaped(reason)
    return _row(what, f"[{kind}]({page})" if page and kind else kind, of, ", ".join(seen))


def _subject(identifier: str) -> str:
    _, kind, *rest = identifier.split("/")
    if kind == "op" and rest[:1] == ["*"]:
        return "every op"
    return kind if kind in ("history", "program") or not rest else rest[0]


# ---- how it is written -----------------------------------------------------------------------------------


def _names(backends: Iterable[Backend]) -> list[str]:
    return [f"`{backend.name}`" for backend in backends]


def _version(backend: Backend) -> str:
    return backend.version().partition("+")[0]


def _head(*headings: str) -> Table:
    yield _row(*headings)
    yield "|---" * len(headings) + "|"


def _row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def _escaped(text: str) -> str:
    for sign in "|<*":
        text = text.replace(sign, f"\\{sign}")
    return " ".join(text.split())
