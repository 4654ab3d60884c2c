"""Merged, the parts of a run are the run, whatever the parts and whatever their order."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.errors import UsageError
from conformance.runfile.jsonl import Run
from conformance.runfile.merge import merge, missing_shards, unlike_hosts
from conformance.runfile.records import BackendLine, ResultLine, Verdict

from .drawn_runs import HEADER, line, result_lists, run_of


def parts_of(results: list[ResultLine], owners: list[int], count: int) -> list[Run]:
    shards = [
        [r for r, owner in zip(results, owners, strict=False) if owner % count == i] for i in range(count)
    ]
    return [
        run_of(part, msgspec.structs.replace(HEADER, shard=f"{i}/{count}"))
        for i, part in enumerate(shards, start=1)
    ]


@given(result_lists, st.lists(st.integers(0, 5), min_size=12, max_size=12), st.integers(1, 4), st.randoms())
def test_any_partition_in_any_order_is_the_whole(
    results: list[ResultLine], owners: list[int], count: int, random: object
) -> None:
    parts = parts_of(results, owners, count)
    random.shuffle(parts)  # type: ignore[attr-defined]
    merged = merge(parts)
    assert merged.results == sorted(results, key=lambda r: r.id)
    assert merged.is_complete
    assert merged.counts() == run_of(results).counts()


@given(result_lists)
def test_a_run_merged_with_itself_is_itself(results: list[ResultLine]) -> None:
    assert merge([run_of(results), run_of(results)]).results == merge([run_of(results)]).results


def test_a_missing_shard_is_said() -> None:
    parts = parts_of([line("tanh", Verdict.PASS)], [0], 3)
    assert not merge(parts[:2]).is_complete
    assert merge(parts).is_complete


def test_parts_of_unlike_machines_are_named() -> None:
    """Rounding differs between machines: a merged run that names one of them alone would say where it did not happen."""
    hosts = [{"system": "Linux x86_64", "numpy": "2"}, {"system": "Darwin arm64", "numpy": "2", "cores": "8"}]
    parts = [run_of([], msgspec.structs.replace(HEADER, host=host)) for host in hosts]
    assert unlike_hosts(parts) == {
        "cores": ["8", "unknown"],
        "system": ["Darwin arm64", "Linux x86_64"],
    }
    host = merge(parts).header.host
    assert host == {"system": "Darwin arm64 and Linux x86_64", "numpy": "2", "cores": "8 and unknown"}
    assert unlike_hosts(parts[:1]) == {}


def test_parts_of_different_runs_are_refused() -> None:
    other = msgspec.structs.replace(HEADER, seed=1)
    with pytest.raises(UsageError, match="seeds are 0, 1"):
        merge([run_of([]), run_of([], other)])
    newer = msgspec.structs.replace(HEADER, backends=(BackendLine("mine", "mine", "2"),))
    with pytest.raises(UsageError, match="versions of mine are 1, 2"):
        merge([run_of([]), run_of([], newer)])


@pytest.mark.parametrize(
    ("codes", "gravest"),
    [((0, 10), 10), ((10, 1), 1), ((1, 12), 1), ((12, 10, 0), 12), ((1, 11), 11), ((11, 3), 3), ((3, 2), 2)],
)
def test_the_exit_code_is_the_gravest_as_a_run_would_have_it(codes: tuple[int, ...], gravest: int) -> None:
    parts = [run_of([]) for _ in codes]
    for part, code in zip(parts, codes, strict=True):
        part.end = msgspec.structs.replace(part.end, exit_code=code, trouble=(f"of {code}",))
    merged = merge(parts).end
    assert merged is not None
    assert merged.exit_code == gravest
    assert sorted(merged.trouble) == sorted(f"of {code}" for code in codes)


def test_a_shard_that_is_none_is_no_defect() -> None:
    odd = msgspec.structs.replace(HEADER, shard="first")
    assert merge([run_of([], odd)]).is_complete


def test_two_answers_to_one_question_are_refused() -> None:
    one, other = line("tanh", Verdict.PASS), line("tanh", Verdict.FAIL)
    with pytest.raises(UsageError, match="answer mine/op/tanh/vjp/float64 differently"):
        merge([run_of([one]), run_of([other])])


def test_shards_of_another_run_complete_nothing() -> None:
    def part(shard: str, engine: str = "mine", query: str = "op/*") -> Run:
        header = msgspec.structs.replace(
            HEADER, shard=shard, queries=(query,), backends=(BackendLine(engine, engine, "1"),)
        )
        return run_of([], header)

    whole = [part("1/2"), part("2/2")]
    assert missing_shards(whole) == []
    assert missing_shards([part("1/2"), part("2/2", "other")]) == ["2/2 of mine", "1/2 of other"]
    assert missing_shards([part("1/2"), part("2/2", query="contract/*")]) == ["1/2 of mine", "2/2 of mine"]
    assert missing_shards([part("1/2"), part("", query="op/tanh")]) == ["2/2"]
    assert missing_shards([part("1/2"), part("", "other")]) == ["2/2"]
    assert missing_shards([part("1/2"), part("")]) == []
    assert missing_shards([part("1/2"), run_of([])]) == []
    assert missing_shards([*whole, part("1/3", "other"), part("2/3", "other")]) == ["3/3 of other"]
