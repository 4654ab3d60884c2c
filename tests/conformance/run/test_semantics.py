"""A run asks every engine the same questions, and what it says follows from the answers."""

from __future__ import annotations

import datetime
import json
import zlib
from pathlib import Path
from typing import Any, ClassVar

import msgspec
import numpy as np
import pytest
from conformance_backends import numpy_engine as engine
from conformance_backends.mutants.mutant import altered_rule
from conformance_backends.numpy_backend import NumpyTape

from conformance.backend import Backend
from conformance.errors import NothingSelected, UsageError
from conformance.ops import ALL_OPS
from conformance.points import points_of
from conformance.questions import Item, items_of
from conformance.questions.queries import NAMED, matches
from conformance.run.conduct import exit_code
from conformance.run.describe import Description, describe
from conformance.run.execute import Executor
from conformance.run.plan import select, shard
from conformance.runfile.accuracy import Accuracy
from conformance.runfile.diagnostics import Agreement, Diagnostic
from conformance.runfile.jsonl import Line, Run, decode, encode
from conformance.runfile.merge import merge, without_times
from conformance.runfile.records import (
    BackendLine,
    CrossEngineLine,
    EndLine,
    Evidence,
    MutantLine,
    ProofLine,
    ResultLine,
    TimingLine,
    Verdict,
)
from conformance.runfile.texts import printable
from conformance.strategies import Effort

EFFORT = Effort(signatures=2, draws=2, samples=2, programs=3)
TODAY = datetime.date(2026, 6, 1)
ITEMS = list(items_of("numpy", ("float64", "float32")))
WITHOUT_POINTS = next(op for op in ALL_OPS if not points_of(op))
QUERIES = ["op/tanh", "op/matmul/vjp", "contract/B3", "contract/B15", "history/tape", "program", "example/W1"]


def groups(items: list[Item]) -> list[list[Item]]:
    found: dict[str, list[Item]] = {}
    for item in items:
        found.setdefault(item.group, []).append(item)
    return list(found.values())


def asked(backend: Backend, queries: list[str], **options: Any) -> list[ResultLine]:
    executor = Executor(backend, **{"seed": 0, "effort": EFFORT, **options})
    return [result for group in groups(select(ITEMS, queries)) for result in executor.results(group)]


def result(verdict: Verdict, identifier: str = "numpy/op/tanh/vjp/float64") -> ResultLine:
    evidence = None if verdict is Verdict.PASS else Evidence(message="m", token="c1:x")
    return ResultLine(
        identifier, "numpy", "op", "tanh", "vjp", "E1", "must", "float64", verdict, 3, 0.1, evidence=evidence
    )


# ---- the plan ----------------------------------------------------------------------------------------


def test_no_two_questions_have_one_id() -> None:
    assert len({item.id for item in ITEMS}) == len(ITEMS) > 1000


@pytest.mark.parametrize("count", [1, 2, 3, 7])
def test_shards_are_disjoint_whole_and_together_everything(count: int) -> None:
    shards = [[item.id for item in shard(ITEMS, f"{i}/{count}")] for i in range(1, count + 1)]
    assert sorted(identifier for part in shards for identifier in part) == sorted(item.id for item in ITEMS)
    owners: dict[str, int] = {}
    for number in range(1, count + 1):
        for item in shard(ITEMS, f"{number}/{count}"):
            assert owners.setdefault(item.scope, number) == number


@pytest.mark.parametrize("text", ["", "1", "0/2", "3/2", "a/b", "1/2/3", "-1/2", "1.0/2", "/"])
def test_a_shard_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="expected i/n"):
        shard(ITEMS, text)


@pytest.mark.parametrize(
    ("query", "is_asked"),
    [
        ("numpy/op/tanh/vjp/float64", True),
        ("op/tanh/vjp/float64", True),
        ("op/tanh", True),
        ("op/tanh/", True),
        ("op/tan", False),
        ("op/t*", True),
        ("*", True),
        ("numpy", True),
        ("torch", False),
        ("op/*/vjp", True),
        ("op/TANH", False),
    ],
)
def test_a_query_asks_for_whole_names_or_stars(query: str, *, is_asked: bool) -> None:
    assert matches("numpy/op/tanh/vjp/float64", query) == is_asked


def test_many_stars_take_no_exponential_time() -> None:
    assert not matches("numpy/op/" + 200 * "a", 60 * "*a" + "*b")


def test_one_query_of_several_that_matches_nothing_is_refused() -> None:
    with pytest.raises(NothingSelected, match=r"'op/tahn' matches nothing; did you mean .*op/tanh"):
        select(ITEMS, ["op/tanh", "op/tahn"])


def test_all_queries_that_match_nothing_are_named_at_once() -> None:
    with pytest.raises(NothingSelected, match=r"(?s)'op/tahn' matches nothing;.*'op/sinn' matches nothing;"):
        select(ITEMS, ["op/tahn", "op/tanh", "op/sinn"])


def test_of_many_queries_that_match_nothing_the_first_are_named_and_the_others_counted() -> None:
    with pytest.raises(NothingSelected) as raised:
        select(ITEMS, [f"op/tahn{n}" for n in range(NAMED + 2)])
    said = str(raised.value).splitlines()
    assert len(said) == NAMED + 1
    assert said[-1] == "and 2 more queries match nothing"


@pytest.mark.parametrize(
    ("query", "hint"),
    [
        ("/op/tanh", "leave out the slash: -q op/tanh$"),
        (
            "op/tanh/vjp/float64/",
            "'op/tanh/vjp/float64/' matches nothing; leave out the slash: -q op/tanh/vjp/float64$",
        ),
        (f"point/{WITHOUT_POINTS}", f"there is no point/{WITHOUT_POINTS}, but there is op/{WITHOUT_POINTS}"),
        ("op/compiled", r"that is a check, and is asked by -q 'op/\*/compiled'$"),
        ("op/tanh/vpj", "did you mean op/tanh/vjp or"),
        ("op/tanh/jvp", r"did you mean op/tanh/forward\?"),
        ("op/tanh/hessian", r"did you mean op/tanh/reverse-over-reverse\?"),
        ("numpy/op/tanh/vmap", r"did you mean numpy/op/tanh/mapped\?"),
        ("contract/B", r"a whole chapter is -q 'contract/B\*'"),
        ("contract/E19", r"E19 is checked op by op: -q 'op/\*/flat'"),
        ("nonsense", "ids look like"),
    ],
)
def test_a_query_that_matches_nothing_says_what_may_have_been_meant(query: str, hint: str) -> None:
    with pytest.raises(NothingSelected, match=hint):
        select(list(items_of("numpy", ("float64",))), [query])


# ---- asking ------------------------------------------------------------------------------------------------


def bare(results: list[ResultLine]) -> list[ResultLine]:
    return [msgspec.structs.replace(r, seconds=0.0) for r in results]


def test_the_same_seed_gives_the_same_answers_and_every_pass_has_seen_a_case() -> None:
    first, second = asked(NumpyTape(), QUERIES), asked(NumpyTape(), QUERIES)
    assert bare(first) == bare(second)
    assert {r.verdict for r in first} == {Verdict.PASS, Verdict.UNSUPPORTED}
    assert all(r.cases > 0 for r in first if r.verdict is Verdict.PASS)
    assert all("does not declare" in r.reason for r in first if r.verdict is Verdict.UNSUPPORTED)


def test_two_engines_are_asked_with_the_same_numbers() -> None:
    seen: dict[str, list[int]] = {"one": [], "two": []}

    def listening(name: str) -> NumpyTape:
        backend = NumpyTape()
        make = backend.leaf
        backend.leaf = lambda value: (seen[name].append(zlib.crc32(value.tobytes())), make(value))[1]  # type: ignore[method-assign]
        return backend

    for name in seen:
        asked(listening(name), QUERIES)
    assert sorted(seen["one"]) == sorted(seen["two"]) != []  # threads ask in an order of their own


def test_another_seed_asks_with_other_numbers() -> None:
    errors = [[r.error for r in asked(NumpyTape(), ["op/tanh/vjp"], seed=seed)] for seed in (0, 1)]
    assert errors[0] != errors[1]


class Wrong(NumpyTape):
    """tanh's slope is 1 - z."""

    ops = {**NumpyTape.ops, "tanh": engine.custom(np.tanh, lambda g, x: [g * (1 - x)])}  # noqa: RUF012


class Unnamed(NumpyTape):
    """Names no tanh."""

    ops = {name: op for name, op in NumpyTape.ops.items() if name != "tanh"}  # noqa: RUF012


class Slipping(NumpyTape):
    """The adapter itself has a name wrong."""

    def grad(self, leaf: Any) -> Any:
        return leaf.gradient


class Raising(NumpyTape):
    """The engine raises."""

    ops = {**NumpyTape.ops, "tanh": lambda x: [][1]}  # noqa: RUF012


@pytest.mark.parametrize(
    ("adapter", "verdict", "said"),
    [
        (Wrong, Verdict.FAIL, "the gradient of operand 0 differs from the reference VJP"),
        (Unnamed, Verdict.UNSUPPORTED, "the adapter of numpy names no tanh"),
        (Slipping, Verdict.ADAPTER_ERROR, "AttributeError: 'Tensor' object has no attribute 'gradient'"),
    ],
)
def test_what_happens_is_the_verdict(adapter: type[Backend], verdict: Verdict, said: str) -> None:
    (done,) = asked(adapter(), ["op/tanh/vjp/float64"])
    assert done.verdict is verdict
    assert done.evidence is not None
    assert said in done.evidence.message


def test_a_failure_is_made_small_and_carries_a_token_and_a_script() -> None:
    (done,) = asked(Wrong(), ["op/tanh/vjp/float64"])
    evidence = done.evidence
    assert evidence is not None
    assert evidence.token.startswith("c1:")
    assert len(json.dumps(evidence.case["operands"])) < 60
    assert "backward" in evidence.script


# ---- what the run says ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("verdicts", "more", "code"),
    [
        ("pass unsupported known", {}, 0),
        ("pass fail", {}, 1),
        ("pass crash", {}, 1),
        ("pass adapter_error", {}, 1),
        ("pass fixed", {}, 10),
        ("fail fixed", {}, 1),
        ("pass", {"is_complete": False}, 12),
        ("pass fail", {"was_interrupted": True}, 2),
        ("pass", {"trouble": ["ours"]}, 3),
        ("pass fail", {"error": "no engine"}, 11),
    ],
)
def test_the_gravest_thing_is_the_exit_code(verdicts: str, more: dict[str, Any], code: int) -> None:
    results = [result(Verdict(name)) for name in verdicts.split()]
    backend = Description(BackendLine("numpy", "numpy", "1", error=more.get("error", "")))
    assert code == exit_code(
        results,
        [backend],
        more.get("trouble", []),
        is_complete=more.get("is_complete", True),
        was_interrupted=more.get("was_interrupted", False),
    )


def test_a_known_failures_file_decides_the_exit_code(command: Any, adapters: Path, tmp_path: Path) -> None:
    (tmp_path / "known.toml").write_text(
        '[[known]]\nid = "wrong_tanh/op/tanh/*"\nreason = "r"\n'
        '[[known]]\nid = "wrong_tanh/op/exp/vjp/float64"\nreason = "r"\n'
    )
    done = command(
        *("run", adapters / "wrong_tanh.py", "-n", 1, "--known", "known.toml"),
        *("-q", "op/tanh/vjp/float64", "-q", "op/exp/vjp/float64"),
    )
    assert done.code == 10
    assert done.verdicts == {
        "wrong_tanh/op/tanh/vjp/float64": "known",
        "wrong_tanh/op/exp/vjp/float64": "fixed",
    }


@pytest.mark.costly
def test_two_runs_of_one_seed_are_one_run_and_its_shards_are_its_parts(command: Any) -> None:
    def run(*more: str) -> Run:
        done = command(
            "run", "numpy", "-q", "op/tanh", "-q", "contract/A2", "-q", "contract/A5", *more, "--force"
        )
        assert done.code == 0, done.said
        return done.run

    def answers(run: Run) -> dict[str, ResultLine]:
        return {r.id: without_times(r) for r in run.results}

    whole = run("-n", "2")
    second, first = run("--shard", "2/2", "-n", "2"), run("--shard", "1/2", "-n", "1")
    assert not set(answers(first)) & set(answers(second))
    merged = merge([second, first])
    assert merged.is_complete
    assert answers(merged) == answers(whole)


def test_the_order_of_questions_changes_no_answer() -> None:
    groups: dict[tuple[str, str], list[Item]] = {}
    for item in ITEMS:
        if item.subject in ("tanh", "exp", "sum") and item.dtype == "float64":
            groups.setdefault(item.group, []).append(item)

    def answers(order: list[list[Item]]) -> list[ResultLine]:
        executor = Executor(NumpyTape(), seed=0, effort=Effort(signatures=2, draws=1, samples=1, programs=1))
        found = [without_times(r) for group in order for r in executor.results(group)]
        return sorted(found, key=lambda r: r.id)

    there = answers(list(groups.values()))
    assert len(there) > 50
    assert answers([group[::-1] for group in reversed(groups.values())]) == there


# ---- the run file --------------------------------------------------------------------------------------------

LINES = [
    result(Verdict.FAIL),
    msgspec.structs.replace(result(Verdict.PASS), accuracy=Accuracy((3, 0, 1), 0.5, 2.0, "x at [0]", "c1:x")),
    CrossEngineLine("numpy/op/tanh/vjp/float64", Diagnostic("another", "it says 1", Agreement.RULE)),
    TimingLine("mlp", "s", "numpy", "float64", "gradient", 1.0, rounds=3),
    ProofLine("tanh", "complex step", 1e-16, 3),
    MutantLine("m", "w", ("op/vjp",), ()),
    EndLine(True, {"pass": 1}, 1.0, 0),
]


@pytest.mark.parametrize("line", LINES, ids=lambda line: type(line).__name__)
def test_a_line_comes_back_as_it_was_written(line: Any) -> None:
    assert decode(encode(line)) == line
    assert "\n" not in encode(line)


def test_the_schema_names_every_kind_of_line_and_every_field_written() -> None:
    schema = msgspec.json.schema(Line)
    definitions = schema["$defs"]
    kinds = {
        d["properties"]["type"]["enum"][0]: d
        for d in definitions.values()
        if "type" in d.get("properties", {})
    }
    assert set(kinds) == {"run", "result", "cross_engine", "timing", "proof", "mutant", "generated", "end"}
    for line in LINES:
        written = json.loads(encode(line))
        described = kinds[written["type"]]
        assert set(written) <= set(described["properties"])
        assert set(described["required"]) <= set(written)


def test_control_characters_are_written_as_escapes() -> None:
    assert printable("a\x1b[2J\r\x00\ud800\u202eb\tc\nd é∂") == "a\\x1b[2J\\r\\x00\\ud800\\u202eb\tc\nd é∂"
    assert Evidence(message="\x07").message == "\\x07"


def test_a_description_says_how_to_ask_again(adapters: Path) -> None:
    spec = str(adapters / "wrong_tanh.py")
    assert describe(spec).line.spec == spec
    assert describe("numpy").line.spec == ""


def test_an_answer_is_not_lost_with_a_case_that_cannot_be_written_down(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def doubled(right: Any, i: int, g: Any, z: Any, x: Any) -> Any:
        return 2 * right(i, g, z, x)

    class Wrong(NumpyTape):
        ops: ClassVar[dict[str, Any]] = {**NumpyTape.ops, "tanh": altered_rule("tanh", doubled)}

    def unwritable(*given: Any) -> str:
        raise TypeError("nobody can write this")

    monkeypatch.setattr("conformance.run.evidence.script_of", unwritable)
    (answer,) = asked(Wrong(), ["op/tanh/vjp/float64"])
    assert answer.verdict is Verdict.FAIL
    assert answer.evidence is not None
    assert answer.evidence.message.startswith("the gradient of operand 0 differs from the reference VJP")
    assert "this project's fault: TypeError: nobody can write this" in answer.evidence.message
