"""A run as the page holds it: columns that compress well, and the evidence apart, which is read on demand.

A column of few different values is a list of them and a number per result. Measurements keep four digits:
the rest is noise that does not compress. The evidence of failures that are alike is kept once if there are
very many: the worst results of every cause are whole, the others name the one that stands for them.
"""

from __future__ import annotations

import base64
import gzip
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import msgspec

from conformance.runfile.badness import badness_of
from conformance.runfile.causes import Cause, causes_of
from conformance.runfile.generated import scores_of
from conformance.runfile.jsonl import Run
from conformance.runfile.records import Evidence, ResultLine
from conformance.runfile.severity import SEVERITY_TEXT

WHOLE = 800  # failures whose evidence is kept whole; a run with fewer keeps all
CODED = ("backend", "kind", "subject", "check", "clause", "level", "dtype", "verdict")


def encoded(data: Any) -> str:
    """JSON, gzipped, as base64."""
    return base64.b64encode(gzip.compress(msgspec.json.encode(data), compresslevel=9, mtime=0)).decode()


def overview_of(run: Run) -> dict[str, Any]:
    """What every view needs: the header, the results without evidence, the causes, times and proofs."""
    place = {line.id: number for number, line in enumerate(run.results)}
    return {
        "run": run.header,
        "complete": run.is_complete,
        "damage": run.missing,
        "counts": run.counts(),
        "columns": columns(run.results),
        "causes": [_cause(cause, place) for cause in causes_of(run.header.backends, run.results)],
        "severities": [SEVERITY_TEXT[level] for level in SEVERITY_TEXT],
        "timings": run.timings,
        "proofs": run.proofs,
        "mutants": run.mutants,
        "generated": scores_of(run.generated),
        "end": run.end,
    }


def columns(results: Sequence[ResultLine]) -> dict[str, Any]:
    """The results by column, in their order; what most results lack stands by the number of the result."""
    table: dict[str, Any] = {name: _coded(str(getattr(r, name)) for r in results) for name in CODED}
    table["message"] = _coded(_brief_text(r.evidence.message if r.evidence else "") for r in results)
    table["reason"] = _coded(_brief_text(r.evidence.reason if r.evidence else "") for r in results)
    table["badness"] = [int(badness_of(r)) for r in results]
    table["cases"] = [r.cases for r in results]
    table |= {name: [_brief(getattr(r, name)) for r in results] for name in ("seconds", "error", "ulp")}
    table["id"] = _sparse(results, lambda r: r.id if r.id != _usual_id(r) else None)
    table["measured"] = _sparse(results, lambda r: r.measured)
    table["atlas"] = _sparse(results, lambda r: r.atlas)
    table["undecided"] = _sparse(results, lambda r: r.undecided or None)
    table["covered"] = _sparse(results, lambda r: [*r.levels, *r.pairs] if r.levels and r.pairs else None)
    return table


def details_of(run: Run) -> dict[str, Any]:
    """Evidence and accuracy, by the number of the result."""
    whole, alike = _kept(run)
    return {
        "evidence": {
            number: line.evidence
            for number, line in enumerate(run.results)
            if line.evidence and (number in whole or _says_more(line.evidence)) and number not in alike
        },
        "alike": alike,
        "accuracy": _sparse(
            run.results, lambda r: r.accuracy and msgspec.structs.replace(r.accuracy, token="")
        ),
    }


def _usual_id(line: ResultLine) -> str:
    if line.dtype:
        return f"{line.backend}/{line.kind}/{line.subject}/{line.check}/{line.dtype}"
    return f"{line.backend}/{line.kind}/{line.clause}/{line.check}"


def _says_more(evidence: Evidence) -> bool:
    """Whether there is more than the message, which is a column."""
    return evidence != Evidence(message=evidence.message) or len(evidence.message) > LONGEST


def _kept(run: Run) -> tuple[set[int], dict[int, int]]:
    """The failures whose evidence is kept, taken from all causes in turn; of the others, which one is like it."""
    place = {line.id: number for number, line in enumerate(run.results)}
    groups = [
        [place[r.id] for r in results]
        for cause in causes_of(run.header.backends, run.results)
        for results in (cause.results[: len(cause.results) - len(cause.following)], cause.following)
        if results
    ]
    if sum(map(len, groups)) <= WHOLE:
        return {number for group in groups for number in group}, {}
    each = max(1, WHOLE // len(groups))
    whole = {number for group in groups for number in group[:each]}
    return whole, {number: group[0] for group in groups for number in group[each:]}


def _cause(cause: Cause, place: Mapping[str, int]) -> dict[str, Any]:
    evidence = cause.worst.evidence
    return {
        "engine": cause.engine,
        "severity": int(cause.severity),
        "title": _brief_text(cause.title),
        "isKnown": cause.is_known,
        "kind": cause.kind,
        "link": evidence.link if evidence else "",
        "script": evidence.script if evidence else "",
        "results": [place[line.id] for line in cause.results],
    }


LONGEST = 600  # characters of a message outside its evidence


def _brief_text(text: str) -> str:
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def _brief(value: float | None) -> float | None:
    return None if value is None else float(f"{value:.4g}")


def _coded(texts: Iterable[str]) -> dict[str, list[Any]]:
    codes: dict[str, int] = {}
    numbers = [codes.setdefault(text, len(codes)) for text in texts]
    return {"values": list(codes), "codes": numbers}


def _sparse(results: Sequence[ResultLine], value: Callable[[ResultLine], Any]) -> dict[int, Any]:
    found = ((number, value(line)) for number, line in enumerate(results))
    return {number: of for number, of in found if of is not None}
