"""Merging: shards of one run become the run that they are the parts of."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import msgspec

from conformance.errors import UsageError
from conformance.runfile.jsonl import Run
from conformance.runfile.records import BackendLine, EndLine, ResultLine, RunLine, counts_of

# As `conformance run` chooses among them: interrupted, internal, not started, failed, incomplete, stale, passed.
GRAVEST_FIRST = (2, 3, 11, 1, 12, 10, 0)


def gravity(code: int) -> int:
    """The place of an exit code among all, the gravest first; one that nobody knows is graver still."""
    return GRAVEST_FIRST.index(code) if code in GRAVEST_FIRST else -1


def merge(runs: Sequence[Run]) -> Run:
    """One run with the results of all, by id; the order of the runs does not matter.

    It is complete if every part is, and every shard is among them. Of parts that a budget cut short it counts what they lack. Raises UsageError where the parts are not of one
    run: of different specifications, profiles or seeds, or with different answers to one question.
    """
    if not runs:
        raise UsageError("merge needs at least one run file")
    runs = sorted(runs, key=lambda run: (run.header.started, run.header.shard, run.header.id))
    for what, values in _of_one_run(runs):
        if len(values) > 1:
            raise UsageError(f"these are not parts of one run: their {what} are {', '.join(sorted(values))}")
    first = runs[0].header
    header = msgspec.structs.replace(
        first, host=_host(runs), backends=_backends(runs), shard="", ids=(), queries=_queries(runs)
    )
    results = sorted(_results(runs), key=lambda result: result.id)
    merged = Run(
        header,
        results,
        [line for run in runs for line in run.timings],
        [line for run in runs for line in run.proofs],
        [line for run in runs for line in run.mutants],
        generated=[line for run in runs for line in run.generated],
        damage=tuple(damage for run in runs for damage in run.damage),
    )
    ends = [run.end for run in runs if run.end]
    is_whole = all(run.is_as_requested for run in runs) and not missing_shards(runs)
    not_asked = sum((Counter(end.not_asked) for end in ends), Counter[str]()) if is_whole else {}
    merged.end = EndLine(
        is_whole and not not_asked,
        counts_of(results),
        round(sum(end.seconds for end in ends), 3),
        min((end.exit_code for end in ends), default=0, key=gravity),
        trouble=tuple(dict.fromkeys(line for end in ends for line in end.trouble)),
        budget=sum(end.budget for end in ends),
        not_asked=dict(sorted(not_asked.items())),
        left_out=tuple(sorted({op for end in ends for op in end.left_out})),
        unexplained=tuple(dict.fromkeys(text for end in ends for text in end.unexplained)),
    )
    return merged


def unlike_hosts(runs: Iterable[Run]) -> dict[str, list[str]]:
    """What the machines of the parts do not have in common, such as {"system": ["Darwin arm64", "Linux x86_64"]}.

    A value that one part has and another does not say stands beside "unknown".
    """
    hosts = [run.header.host for run in runs]
    facts = sorted({fact for host in hosts for fact in host})
    found = {fact: sorted({host.get(fact, "unknown") for host in hosts}) for fact in facts}
    return {fact: values for fact, values in found.items() if len(values) > 1}


def missing_shards(runs: Iterable[Run]) -> list[str]:
    """The shards that are not among the parts, such as "2/3"; none of what a whole run among them answers.

    Shards of other backends, or of other queries, are shards of another run.
    """
    headers = [run.header for run in runs]
    whole = [header for header in headers if not header.shard]
    groups: dict[tuple[Any, ...], set[str]] = {}
    for header in headers:
        _, _, count = header.shard.partition("/")
        if count.isdecimal() and not any(_answers(other, header) for other in whole):
            key = (int(count), _names(header), header.queries, header.ids)
            groups.setdefault(key, set()).add(header.shard)
    return [
        f"{i}/{count}" + f" of {' and '.join(names)}" * (len(groups) > 1)
        for (count, names, *_), found in sorted(groups.items())
        for i in range(1, count + 1)
        if f"{i}/{count}" not in found
    ]


def _names(header: RunLine) -> tuple[str, ...]:
    return tuple(sorted(line.name for line in header.backends))


def _answers(whole: RunLine, part: RunLine) -> bool:
    """Whether a run that is no shard asks all that a shard is a part of."""
    asks = not whole.is_part or (whole.queries, whole.ids) == (part.queries, part.ids)
    return asks and set(_names(part)) <= set(_names(whole))


def without_times(result: ResultLine) -> ResultLine:
    """The result without what differs between two runs of one question: how long it took."""
    return msgspec.structs.replace(result, seconds=0.0, measured=None)


def _of_one_run(runs: Sequence[Run]) -> Iterator[tuple[str, set[str]]]:
    headers = [run.header for run in runs]
    yield "specifications", {f"{h.spec.version} ({h.spec.digest})" for h in headers}
    yield "profiles", {h.profile for h in headers}
    yield "seeds", {str(h.seed) for h in headers}
    versions: dict[str, set[str]] = {}
    for line in (line for h in headers for line in h.backends if not line.error):
        versions.setdefault(line.name, set()).add(line.version)
    for name, found in versions.items():
        yield f"versions of {name}", found


def _results(runs: Sequence[Run]) -> Iterator[ResultLine]:
    """Every result once; UsageError where two parts answer one question differently."""
    found: dict[str, ResultLine] = {}
    for result in (result for run in runs for result in run.results):
        earlier = found.setdefault(result.id, result)
        if without_times(earlier) != without_times(result):
            raise UsageError(f"two of the runs answer {result.id} differently: compare them instead")
    yield from found.values()


def _host(runs: Sequence[Run]) -> dict[str, str]:
    """The machine; where the parts ran on several, each of their values."""
    alike = {fact: value for run in runs for fact, value in run.header.host.items()}
    return alike | {fact: " and ".join(values) for fact, values in unlike_hosts(runs).items()}


def _backends(runs: Sequence[Run]) -> tuple[BackendLine, ...]:
    """Every backend once; a line that could start wins over one that could not."""
    lines: dict[str, BackendLine] = {}
    for line in (line for run in runs for line in run.header.backends):
        if line.name not in lines or (lines[line.name].error and not line.error):
            lines[line.name] = line
    return tuple(sorted(lines.values(), key=lambda line: line.name))


def _queries(runs: Sequence[Run]) -> tuple[Any, ...]:
    """The queries of all parts; none where a part has none, which selects everything."""
    if any(not run.header.queries for run in runs):
        return ()
    return tuple(sorted({query for run in runs for query in run.header.queries}))
