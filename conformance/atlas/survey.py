"""Surveys: what one backend does wherever engines may differ, measured in a process of its own.

A survey has the conventions of the clauses, found by asking their checks, a reading of every special point, and what
a porter asks besides: calls without parameters, Python operators, integers, mixed dtypes, a second backward pass.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import msgspec
import numpy as np

from conformance.atlas.behaviours import behaviours
from conformance.atlas.calls import array_in_brief, call_at, operands_in_brief
from conformance.atlas.conventions import measure_conventions
from conformance.atlas.defaults import defaults_of
from conformance.atlas.entries import SCHEMA, Atlas, Entry, Survey
from conformance.atlas.further_points import FURTHER_POINTS
from conformance.atlas.selection import Selection, spellings_of
from conformance.backend import Backend
from conformance.checks.observation import plain
from conformance.checks.point_observation import RAISES, PointObservation
from conformance.clauses import STANDARD
from conformance.errors import AdapterError, Unsupported, is_ctrl_c
from conformance.load import load_backend, name_of, start_timeout
from conformance.points import SPECIAL_POINTS
from conformance.points.point import Place
from conformance.questions import items_of
from conformance.run.describe import describe
from conformance.run.execute import Executor
from conformance.run.plan import digest
from conformance.run.process.apart import Ended, messages_of
from conformance.strategies import Effort

MARK, PROGRESS, REFUSED = "answer", "progress", "refused"
SPELLINGS = "spellings"  # in place of a selection: how the backend spells its ops
NOTHING = Effort(signatures=1, draws=1, samples=1, programs=1)  # points are not drawn
DEFAULTS = "without-parameters"  # what rows of defaults are called

Report = Callable[[str], None]


# ---- measuring ------------------------------------------------------------------------------------


def survey(spec: str, selection: Selection, report: Report = lambda _: None) -> Survey:
    """Load the backend here and measure it; raises what `describe` raises."""
    line = describe(spec).line
    backend = load_backend(spec)
    of_ops = (_points, _further_points)
    parts = of_ops if backend.is_spelling else (_conventions, *of_ops, _defaults, _behaviours)
    entries = [entry for part in parts for entry in part(backend, selection, report)]
    return Survey(line, tuple(entries))


def _conventions(backend: Backend, selection: Selection, report: Report) -> Iterator[Entry]:
    chosen = [c for c in STANDARD.values() if c.conventions and selection.has(c.number)]
    for measured in measure_conventions(backend, chosen):
        number = measured.clause.number
        report(f"clause {number}")
        found = " or ".join(measured.found) or ("not checked" if measured.reason else "none of them")
        declared = measured.declared or ""
        yield Entry(number, number, found, declared=declared, among=measured.clause.conventions)


def _points(backend: Backend, selection: Selection, report: Report) -> Iterator[Entry]:
    """One entry per point and dtype."""
    executor = Executor(backend, seed=0, effort=NOTHING, shrink=False)
    for item in items_of(backend.name, backend.dtypes):
        if item.definition.kind != "point" or not selection.has(item.subject):
            continue
        report(item.subject)
        (result,) = executor.results([item])
        if (r := result.atlas) is not None:
            place = Place(SPECIAL_POINTS[item.subject], item.dtype)
            yield Entry(
                item.subject, result.clause, r.found, r.standing, r.declared, r.among, _gradients(r.value),
                item.dtype, call_at(backend, place), operands_in_brief(place.operands),
            )  # fmt: skip


def _gradients(value: Sequence[object] | None) -> str:
    """The gradients of a reading; infinities and NaN are spelt there."""
    shown = ["–" if g is None else array_in_brief(np.asarray(g, float) + 0.0) for g in value or ()]  # no -0
    return f"gradient {', '.join(shown)}" if shown else ""


def _further_points(backend: Backend, selection: Selection, report: Report) -> Iterator[Entry]:
    for point in FURTHER_POINTS:
        for dtype in backend.dtypes if selection.has(point.key) and point.op in backend.asked_ops else ():
            place = Place(point, dtype)
            if np.dtype(place.operands[0].dtype).itemsize < 4 or place.operands[0].dtype.kind == "c":
                continue  # as for all special points
            report(point.key)
            yield _read(backend, place)


def _read(backend: Backend, place: Place) -> Entry:
    """The output and the gradients at a point; "raises" where the engine refuses it."""
    point = place.point
    seen, among = PointObservation(backend, place), tuple(point.conventions)
    where = {"dtype": place.dtype, "call": call_at(backend, place)}
    operands = operands_in_brief(place.operands)
    try:
        with np.errstate(all="ignore"):
            function = backend.call(point.op, point.parameters)
            output = array_in_brief(plain(backend, backend.forward(function, list(place.operands))[0]))
            found = seen.found
            gradients = ", ".join(array_in_brief(g + 0.0) for g in seen.gradients.values())  # no -0
    except BaseException as error:
        if is_ctrl_c(error):
            raise
        return Entry(point.key, "E12", RAISES, among=among, operands=operands, **where)
    value = f"{output}, gradient {gradients}"
    named = f"{output}, {found}" if found in among else value
    return Entry(point.key, "E12", named, among=among, value=value, operands=operands, **where)


def _defaults(backend: Backend, selection: Selection, report: Report) -> Iterator[Entry]:
    chosen = [op for op in backend.asked_ops if selection.has(f"{op}/{DEFAULTS}")]
    for one in defaults_of(backend, chosen):
        place = f"{one.op}/{DEFAULTS}"
        report(place)
        yield Entry(place, "E22", one.found, call=one.call, operands=operands_in_brief(one.operands))


def _behaviours(backend: Backend, selection: Selection, report: Report) -> Iterator[Entry]:
    for one in behaviours():
        if not selection.has(one.place):
            continue
        report(one.place)
        try:
            with np.errstate(all="ignore"):
                found = one.ask(backend)
        except Unsupported:
            continue
        except BaseException as error:
            if is_ctrl_c(error):
                raise
            found = RAISES
        operands = operands_in_brief(one.operands)
        yield Entry(one.place, one.clause, found, call=one.call(backend), operands=operands)


# ---- in a process of its own ------------------------------------------------------------------------


def surveyed(specs: list[str], selection: Selection = Selection(), report: Report = lambda _: None) -> Atlas:  # noqa: B008 - frozen
    """The surveys of several backends, each from its own process, which says where it is.

    Raises AdapterError where a backend cannot start, or ends its process.
    """
    return Atlas(SCHEMA, digest(), tuple(_surveyed_apart(spec, selection, report) for spec in specs))


def _surveyed_apart(spec: str, selection: Selection, report: Report) -> Survey:
    asked = msgspec.json.encode(selection).decode()
    return msgspec.json.decode(_answer_apart(spec, asked, report), type=Survey)


def spelt_apart(specs: Sequence[str]) -> dict[str, set[str]]:
    """For each op the names under which the backends' users know it, each asked in a process of its own."""
    found: dict[str, set[str]] = {}
    for spec in specs:
        answer = _answer_apart(spec, SPELLINGS, lambda _: None)
        for op, names in msgspec.json.decode(answer, type=dict[str, list[str]]).items():
            found.setdefault(op, set()).update(names)
    return found


def _answer_apart(spec: str, asked: str, report: Report) -> str:
    last: list[str] = []

    def heard(text: str) -> None:
        last.extend(line.strip() for line in text.splitlines() if line.strip())

    try:
        for mark, text in messages_of(_answer, spec, asked, silence=start_timeout(), heard=heard):
            if mark == MARK:
                return str(text)
            if mark == REFUSED:
                raise AdapterError(text)
            report(f"{name_of(spec)}: {text}")
    except Ended as end:
        said = last[-1] if last else "it said nothing"
        raise AdapterError(f"{name_of(spec)} could not be surveyed: {end}: {said}") from None
    raise AdapterError(f"{name_of(spec)} could not be surveyed: it gave no answer")


def _answer(send: Callable[[tuple[str, str]], None], spec: str, asked: str) -> None:
    """Send the survey of a backend, or how it spells its ops, and before it where it is."""
    try:
        if asked == SPELLINGS:
            answer: object = spellings_of(load_backend(spec))
        else:
            found = msgspec.json.decode(asked, type=Selection)
            answer = survey(spec, found, lambda place: send((PROGRESS, place)))
    except AdapterError as refusal:
        send((REFUSED, str(refusal)))
    else:
        send((MARK, msgspec.json.encode(answer).decode()))
