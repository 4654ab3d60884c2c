"""Known failures: what is on record is no news, and nothing else hides behind it."""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conformance_backends import numpy_engine as engine
from conformance_backends.numpy_backend import NumpyTape

from conformance.cli.known import expired
from conformance.errors import UsageError
from conformance.questions import Item
from conformance.run.execute import Executor
from conformance.runfile.known import KnownFailure, in_force, judge, messages_of, stale
from conformance.runfile.known_file import read_known
from conformance.runfile.listing import write_known
from conformance.runfile.records import BackendLine, Evidence, ResultLine, Verdict
from conformance.strategies import Effort

TODAY = datetime.date(2026, 6, 1)


def result(verdict: Verdict, identifier: str = "numpy/op/tanh/vjp/float64", message: str = "m") -> ResultLine:
    evidence = None if verdict is Verdict.PASS else Evidence(message=message, token="c1:x")
    return ResultLine(
        identifier, "numpy", "op", "tanh", "vjp", "E1", "must", "float64", verdict, 3, 0.1, evidence=evidence
    )


def known(identifier: str, **more: Any) -> list[KnownFailure]:
    return [KnownFailure(identifier, "because", **more)]


@pytest.mark.parametrize("identifier", ["numpy/op/tanh/vjp/float64", "numpy/op/tanh/*", "*"])
def test_a_failure_that_is_listed_is_known(identifier: str) -> None:
    found = judge(result(Verdict.FAIL), known(identifier), TODAY)
    assert found.verdict is Verdict.KNOWN
    assert found.evidence is not None
    assert (found.evidence.reason, found.evidence.message) == ("because", "m")


def test_a_name_with_brackets_is_found_as_it_is_written() -> None:
    name = "engine[b]/op/tanh/vjp/float64"
    assert judge(result(Verdict.FAIL, name), known(name), TODAY).verdict is Verdict.KNOWN


def test_a_known_failure_says_of_what_kind_it_is() -> None:
    found = judge(result(Verdict.FAIL), known("*", kind="documented"), TODAY)
    assert found.evidence is not None
    assert found.evidence.kind == "documented"


def test_what_is_not_implemented_is_unsupported_and_not_stale() -> None:
    entries = known("*", kind="not implemented", says="m")
    found = judge(result(Verdict.ERROR), entries, TODAY)
    assert found.verdict is Verdict.UNSUPPORTED
    assert found.evidence is not None
    assert (found.evidence.reason, found.evidence.failed_as) == ("because", "error")
    assert not stale(entries, [found])
    assert stale(entries, [result(Verdict.UNSUPPORTED)]) == entries


@pytest.mark.parametrize("where", ["numpy/op/tanh/vjp/float64", "numpy/op/tan/*"])
def test_one_cause_covers_all_of_its_ids(where: str) -> None:
    entries = [KnownFailure(("numpy/op/tan/*", "numpy/op/tanh/*"), "because")]
    assert judge(result(Verdict.FAIL, identifier=where), entries, TODAY).verdict is Verdict.KNOWN
    assert judge(result(Verdict.FAIL, identifier="numpy/op/sin/*"), entries, TODAY).verdict is Verdict.FAIL
    passed = [KnownFailure((where, "numpy/op/sin/*"), "because")]
    assert judge(result(Verdict.PASS, identifier=where), passed, TODAY).verdict is Verdict.FIXED


def test_a_kind_that_is_none_is_refused(tmp_path: Path) -> None:
    (tmp_path / "known.toml").write_text(
        '[[known]]\nid = "*"\nreason = "r"\nkind = "bug"\n', encoding="utf-8"
    )
    with pytest.raises(UsageError, match="kind = 'bug' is none; it is one of 'fault', 'documented'"):
        read_known(tmp_path / "known.toml")


@pytest.mark.parametrize("value", ['"tomorrow"', "5", "true"])
def test_a_day_that_is_none_is_refused_with_what_a_day_looks_like(value: str, tmp_path: Path) -> None:
    entry = f'[[known]]\nid = "*"\nreason = "r"\nexpires = {value}\n'
    (tmp_path / "known.toml").write_text(entry, encoding="utf-8")
    with pytest.raises(UsageError, match=r"expires = \S+ is no date; write one such as expires = 2030-01-31"):
        read_known(tmp_path / "known.toml")
    for day in ("2030-01-31", '"2030-01-31"'):
        (tmp_path / "known.toml").write_text(entry.replace(value, day), encoding="utf-8")
        assert read_known(tmp_path / "known.toml")[0].expires == datetime.date(2030, 1, 31)


def test_a_failure_that_is_not_listed_stays_one() -> None:
    assert judge(result(Verdict.FAIL), known("numpy/op/tanh/vjp/float32"), TODAY).verdict is Verdict.FAIL


def test_a_pass_that_is_listed_by_its_id_is_fixed() -> None:
    assert judge(result(Verdict.PASS), known("numpy/op/tanh/vjp/float64"), TODAY).verdict is Verdict.FIXED


def test_a_pass_under_a_star_is_a_pass() -> None:
    assert judge(result(Verdict.PASS), known("numpy/op/tanh/*"), TODAY).verdict is Verdict.PASS


@pytest.mark.parametrize(("day", "verdict"), [(31, Verdict.FAIL), (1, Verdict.KNOWN)])
def test_an_entry_holds_until_it_expires(day: int, verdict: Verdict) -> None:
    expires = datetime.date(2026, 5, 31) if day == 31 else TODAY
    assert judge(result(Verdict.FAIL), known("*", expires=expires), TODAY).verdict is verdict


def test_unsupported_is_never_known() -> None:
    assert judge(result(Verdict.UNSUPPORTED), known("*"), TODAY).verdict is Verdict.UNSUPPORTED


def test_where_the_profile_leaves_something_out_a_pass_fixes_nothing_and_no_entry_is_stale() -> None:
    listed = known("numpy/op/tanh/vjp/float64")
    assert judge(result(Verdict.PASS), listed, TODAY, is_compact=True).verdict is Verdict.PASS
    whole, part = BackendLine("numpy", "numpy", "2"), BackendLine("numpy", "numpy", "2", left_out={"E": 3})
    assert stale(listed, [result(Verdict.PASS)], backends=[whole]) == listed
    assert stale(listed, [result(Verdict.PASS)], backends=[part]) == []


def test_an_entry_about_a_claim_of_smoke_is_never_stale() -> None:
    entries = [
        KnownFailure(id="numpy/smoke/*", reason="r", says="*"),
        KnownFailure(id="numpy/op/exp/*", reason="r"),
    ]
    assert stale(entries, [result(Verdict.PASS)]) == entries[1:]


def test_entries_that_nothing_fails_for_are_stale() -> None:
    entries = known("numpy/op/tanh/*") + known("numpy/op/exp/*")
    assert stale(entries, [result(Verdict.KNOWN)]) == entries[1:]


def test_an_entry_of_a_backend_that_was_not_asked_says_nothing() -> None:
    entries = known("numpy/op/exp/*") + known("other*/op/exp/*")
    asked = [BackendLine("numpy", "numpy", "2")]
    assert stale(entries, [result(Verdict.PASS)], backends=asked) == entries[:1]


def test_writing_known_failures_keeps_comments_and_adds_each_once(tmp_path: Path) -> None:
    path = tmp_path / "known.toml"
    path.write_text('# ours\n[[known]]\nid = "numpy/op/exp/*"\nreason = "old"\n')
    assert write_known(path, [result(Verdict.FAIL), result(Verdict.PASS, "numpy/x")], "") == 1
    assert write_known(path, [result(Verdict.FAIL)], "") == 0
    assert path.read_text().startswith("# ours\n")
    assert [(e.id, e.reason, e.token) for e in read_known(path)] == [
        ("numpy/op/exp/*", "old", ""),
        ("numpy/op/tanh/vjp/float64", "m", "c1:x"),
    ]


@pytest.mark.parametrize("there", ["", '[[known]]\nid = "numpy/op/exp/*"\nreason = "old"'])
def test_entries_stand_apart(there: str, tmp_path: Path) -> None:
    path = tmp_path / "known.toml"
    path.write_text(there)
    write_known(path, [result(Verdict.FAIL), result(Verdict.FAIL, "numpy/op/log/vjp/float64")], "")
    written = path.read_text()
    assert written.count("\n\n[[known]]") == len(read_known(path)) - 1
    assert written.endswith('"\n')
    assert not written.endswith("\n\n")


@pytest.mark.parametrize(
    "text", ["known = 3", "known = [3]", '[[known]]\nid = "x"', '[[known]]\nid = 1\nreason = ""', "[[known", "\xff"]
)  # fmt: skip
def test_a_file_that_is_no_list_of_known_failures_is_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / "known.toml").write_bytes(text.encode("latin-1"))
    with pytest.raises(UsageError, match="is not a known-failures file"):
        read_known(tmp_path / "known.toml")


@pytest.mark.parametrize(
    ("field", "said"),
    [("reason", "reason is empty: write why it fails "), ("id", "id is empty: write the id of ")],
)
def test_a_field_that_is_needed_is_not_to_be_left_out_where_it_is_empty(
    field: str, said: str, tmp_path: Path
) -> None:
    entry = {"id": "mine/op/tan/vjp/float64", "reason": "it is new", field: " "}
    text = "\n".join(f'{key} = "{value}"' for key, value in entry.items())
    (tmp_path / "known.toml").write_text(f"[[known]]\n{text}\n")
    with pytest.raises(UsageError, match=said):
        read_known(tmp_path / "known.toml")


# ---- by what a failure says ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("says", "verdict"),
    [
        ("it is wrong", Verdict.KNOWN),
        ("it *", Verdict.KNOWN),
        ("", Verdict.KNOWN),
        (("never", "*wrong"), Verdict.KNOWN),
        ("wrong", Verdict.FAIL),
        (("never", "it raised *"), Verdict.FAIL),
    ],
)
def test_an_entry_that_says_how_it_fails_covers_that_failure_alone(says: Any, verdict: Verdict) -> None:
    found = judge(result(Verdict.FAIL, message="it is wrong"), known("*", says=says), TODAY)
    assert found.verdict is verdict


def test_a_new_entry_has_no_address_that_another_run_would_not_say(tmp_path: Path) -> None:
    path = tmp_path / "known.toml"
    write_known(path, [result(Verdict.ERROR, message="Function <Node at 0x7f13> has a bug\nreport it")], "")
    (entry,) = read_known(path)
    assert (entry.reason, entry.says) == ("Function <Node at …> has a bug", "Function <Node at *> has a bug*")


def test_of_two_entries_of_one_id_the_one_that_says_it_gives_the_reason() -> None:
    entries = [KnownFailure("*", "first", says="it raised *"), KnownFailure("*", "second", says="it is *")]
    found = judge(result(Verdict.FAIL, message="it is wrong"), entries, TODAY)
    assert found.evidence is not None
    assert found.evidence.reason == "second"
    assert stale(entries, [found]) == entries[:1]


def test_a_pass_is_fixed_whatever_the_failure_said() -> None:
    entries = known("numpy/op/tanh/vjp/float64", says="it is wrong")
    assert judge(result(Verdict.PASS), entries, TODAY).verdict is Verdict.FIXED


def test_a_failure_that_says_something_new_is_added_beside_the_entry_that_is_there(tmp_path: Path) -> None:
    path = tmp_path / "known.toml"
    path.write_text('[[known]]\nid = "*"\nreason = "old"\nsays = ["it raised *", "it hung *"]\n')
    assert [entry.says for entry in read_known(path)] == [("it raised *", "it hung *")]
    assert write_known(path, [result(Verdict.FAIL, message="it is wrong")], "") == 1
    assert write_known(path, [result(Verdict.FAIL, message="it raised E")], "") == 0


def test_entries_of_one_cause_stand_together_under_its_title(tmp_path: Path) -> None:
    path = tmp_path / "known.toml"
    ops = ("tanh", "tan", "tanh", "sinh")
    said = ("no\x1bvectors 1", "no\x1bvectors 1", "no lists", "no\x1bvectors 2")
    failed = [
        result(Verdict.FAIL, f"numpy/op/{o}/{s[3:7]}/float64", s) for o, s in zip(ops, said, strict=True)
    ]
    assert write_known(path, failed, "") == 4
    lines = path.read_text().splitlines()
    (first, second) = [line for line in lines if line.startswith("#")]
    assert first == second
    assert re.fullmatch(r"# of one cause: .*no.*vectors 1 \(2 entries\)", first)
    assert sorted(entry.ids for entry in read_known(path)) == [
        ("numpy/op/sinh/vect/float64",),
        ("numpy/op/tanh/list/float64",),
        ("numpy/op/tanh/vect/float64", "numpy/op/tan/vect/float64"),
    ]


def test_failures_of_one_cause_are_one_entry(tmp_path: Path) -> None:
    path = tmp_path / "known.toml"
    ids = [f"numpy/op/tanh/{check}/float64" for check in ("vjp", "shape")]
    failed = [result(Verdict.ERROR, i, "no vectors") for i in (*ids, "numpy/op/tan/vjp/float64")]
    assert (
        write_known(path, [*failed, result(Verdict.ERROR, "numpy/op/tanh/dtype/float64", "no lists")], "")
        == 4
    )
    assert [(entry.ids, entry.says) for entry in read_known(path)] == [
        ((*ids, "numpy/op/tan/vjp/float64"), "no vectors"),
        (("numpy/op/tanh/dtype/float64",), "no lists"),
    ]
    judged = judge(result(Verdict.ERROR, "numpy/op/tan/vjp/float64", "no lists"), read_known(path), TODAY)
    assert judged.verdict is Verdict.ERROR


def test_an_entry_of_several_ops_is_not_widened_for_one_of_them(tmp_path: Path) -> None:
    path = tmp_path / "known.toml"
    first, second = (f"numpy/op/{op}/vjp/float64" for op in ("tan", "tanh"))
    assert write_known(path, [result(Verdict.FAIL, i, "it is 2.0 there") for i in (first, second)], "") == 2
    path.write_text("# of mine\n" + path.read_text())
    assert write_known(path, [result(Verdict.FAIL, first, "it is 3.0 there")], "") == 1
    assert [(e.ids, e.says) for e in read_known(path)] == [
        ((first, second), "it is 2.0 there"),
        ((first,), "it is 3.0 there"),
    ]
    assert path.read_text().startswith("# of mine\n")


def test_entries_may_be_judged_as_they_are_written(tmp_path: Path) -> None:
    path = tmp_path / "known.toml"
    raised = result(Verdict.ERROR, message="NotImplementedError: no vectors")
    wrong = result(Verdict.FAIL, "numpy/op/sin/vjp/float64", "it is wrong")
    write_known(path, [raised, wrong], "", judged={"kind": "fault", "link": "https://example.org/1"})
    assert {entry.says: (entry.kind, entry.link) for entry in read_known(path)} == {
        "NotImplementedError: no vectors": ("not implemented", ""),
        "it is wrong": ("fault", "https://example.org/1"),
    }


def test_a_failure_that_differs_in_its_numbers_widens_the_entry_that_nobody_has_judged(
    tmp_path: Path,
) -> None:
    path = tmp_path / "known.toml"
    messages = [f"the gradient is {numbers}" for numbers in ("2.0 at [0, 0]", "-1.5 at [1, 2]", "7 at [0]")]
    added = [write_known(path, [result(Verdict.FAIL, message=message)], "") for message in messages]
    assert added == [1, 1, 0]
    assert [entry.says for entry in read_known(path)] == ["the gradient is * at *"]
    path.write_text(
        '[[known]]\nid = "numpy/op/tanh/vjp/float64"\nreason = "r"\nkind = "fault"\nsays = "the gradient is 2.0 at [[]0]"\n'
    )
    assert write_known(path, [result(Verdict.FAIL, message="the gradient is 3.0 at [0]")], "") == 1
    judged, new = read_known(path)
    assert (judged.says, new.says) == ("the gradient is 2.0 at [[]0]", "the gradient is 3.0 at [[]0]")


# ---- behind a known failure --------------------------------------------------------------------------------


def result_by(
    rule: Callable[[Any, Any], Any],
    says: str | list[KnownFailure],
    op: str = "tanh",
    ops: Mapping[str, Any] | None = None,
) -> ResultLine:
    """The result of an engine whose rule of tanh is `rule`, where a failure that says so is on record, or these are."""
    bent = {**NumpyTape.ops, "tanh": engine.custom(np.tanh, lambda g, x: [rule(g, x)]), **(ops or {})}
    backend = type("Bent", (NumpyTape,), {"ops": bent})()
    entries = (known("*", says=says) if says else []) if isinstance(says, str) else says
    executor = Executor(
        backend, seed=0, effort=Effort(signatures=12, draws=3, samples=1, programs=1), known=entries
    )
    (line,) = executor.results([Item("numpy", "op/vjp", op, "float64")])
    return judge(line, entries, TODAY)


def refusing(answer: Callable[[Any], Any]) -> Callable[[Any, Any], Any]:
    """A rule that raises of vectors and answers whatever else."""

    def rule(g: Any, x: Any) -> Any:
        if np.ndim(x) == 1:
            raise ValueError("no vectors")
        return g * answer(x)

    return rule


def slope(x: Any) -> Any:
    return 1 - np.tanh(x) ** 2


def test_what_holds_behind_a_known_failure_leaves_it_known() -> None:
    found = result_by(refusing(slope), "ValueError: no vectors")
    assert found.verdict is Verdict.KNOWN
    assert found.evidence is not None
    assert found.evidence.message == "ValueError: no vectors"
    right = result_by(lambda g, x: g * slope(x), "")
    # A failure decides also where an answer of zeros would have passed.
    assert found.cases + found.undecided == right.cases + right.undecided


def test_another_failure_behind_a_known_one_is_news_and_is_not_made_small_into_it() -> None:
    found = result_by(refusing(lambda x: slope(x) * (1 + 1e-9)), "ValueError: no vectors")
    assert found.verdict is Verdict.FAIL
    assert found.evidence is not None
    assert found.evidence.message == "the gradient of operand 0 differs from the reference VJP"


def test_a_failure_of_the_same_kind_is_not_made_small_into_a_known_one() -> None:
    def rule(g: Any, x: Any) -> Any:
        raise ValueError("no vectors" if np.ndim(x) == 1 else "no matrices")

    found = result_by(rule, "ValueError: no vectors")
    assert found.verdict is Verdict.ERROR
    assert found.evidence is not None
    assert found.evidence.message == "ValueError: no matrices"


@pytest.mark.costly
def test_what_fails_in_other_calls_than_those_of_an_entry_is_news() -> None:
    """A sum that keeps its axes is on record; that one that drops them is wrong hides nowhere."""

    def wrong_where(keeps: tuple[bool, ...]) -> Any:
        def total(x: Any, **parameters: Any) -> Any:
            wrong = engine.custom(lambda a: np.sum(a, **parameters), lambda g, a: [2 * a * g.sum()])
            is_wrong = parameters.get("keepdims", False) in keeps
            return wrong(x) if is_wrong else NumpyTape.ops["sum"](x, **parameters)

        return {"sum": total}

    entries = known("*", says="the gradient of *", calls="sum * keepdims=True *")
    listed = result_by(lambda g, x: g, entries, op="sum", ops=wrong_where((True,)))
    assert judge(listed, entries, TODAY).verdict is Verdict.KNOWN
    news = result_by(lambda g, x: g, entries, op="sum", ops=wrong_where((True, False)))
    assert judge(news, entries, TODAY).verdict is Verdict.FAIL
    assert news.evidence is not None
    assert " keepdims=True " not in news.evidence.call


def test_an_entry_that_does_not_say_how_ends_the_question_at_its_first_failure() -> None:
    found = judge(result_by(refusing(lambda x: 2 * slope(x)), ""), known("*"), TODAY)
    assert found.verdict is Verdict.KNOWN


# ---- behind what is not implemented ------------------------------------------------------------------------


NO_VECTORS = "ValueError: no vectors"


def test_where_some_cases_are_not_implemented_the_others_decide() -> None:
    entries = known("*", says=NO_VECTORS, kind="not implemented")
    passed = result_by(refusing(slope), entries)
    assert passed.verdict is Verdict.PASS
    assert passed.declined == (NO_VECTORS,)
    assert 0 < passed.cases < result_by(lambda g, x: g * slope(x), "").cases
    assert stale(entries, [passed]) == []


def test_a_wrong_answer_behind_what_is_not_implemented_is_news() -> None:
    entries = known("*", says=NO_VECTORS, kind="not implemented")
    news = result_by(refusing(lambda x: 2 * slope(x)), entries)
    assert news.verdict is Verdict.FAIL
    assert messages_of(news) != (NO_VECTORS,)


def test_where_no_case_is_implemented_the_result_is_unsupported() -> None:
    def refuse(g: Any, x: Any) -> Any:
        raise ValueError("no vectors")

    entries = known("*", says=NO_VECTORS, kind="not implemented")
    found = result_by(refuse, entries)
    assert found.verdict is Verdict.UNSUPPORTED
    assert found.evidence is not None
    assert (found.evidence.message, found.evidence.failed_as) == (NO_VECTORS, "error")
    assert stale(entries, [found]) == []


def test_an_entry_of_one_id_is_not_fixed_by_the_cases_that_are_implemented() -> None:
    entries = known("numpy/op/tanh/vjp/float64", says=NO_VECTORS, kind="not implemented")
    assert result_by(refusing(slope), entries).verdict is Verdict.PASS
    assert result_by(lambda g, x: g * slope(x), entries).verdict is Verdict.FIXED


def test_what_is_not_implemented_is_a_failure_from_the_day_that_the_entry_names() -> None:
    past = known("*", says=NO_VECTORS, kind="not implemented", expires=datetime.date(2026, 1, 1))
    assert result_by(refusing(slope), past).verdict is Verdict.ERROR


def test_an_engine_that_says_that_it_has_not_implemented_something_is_listed_so(tmp_path: Path) -> None:
    path = tmp_path / "known.toml"
    raised = result(Verdict.ERROR, message="NotImplementedError: no vectors")
    assert write_known(path, [raised, result(Verdict.FAIL, "numpy/op/sin/vjp/float64")], "") == 2
    assert {entry.says: entry.kind for entry in read_known(path)} == {
        "NotImplementedError: no vectors": "not implemented",
        "m": "",
    }


def test_contracts_are_asked_on_behind_a_known_failure_too() -> None:
    class Odd(NumpyTape):
        asked = 0

        def backward(self, output: Any, gradient: Any = None, **more: Any) -> None:
            Odd.asked += 1
            if Odd.asked < 3:
                raise ValueError("not yet")
            raise RuntimeError("no more")

    entries = known("*", says="ValueError: not yet")
    executor = Executor(
        Odd(), seed=0, effort=Effort(signatures=1, draws=1, samples=6, programs=1), known=entries
    )
    (line,) = executor.results([Item("numpy", "contract/B1/fan-out", "B1", "")])
    assert judge(line, entries, TODAY).verdict is Verdict.ERROR
    assert line.evidence is not None
    assert line.evidence.message.startswith("RuntimeError: no more")


def test_one_run_with_a_list_gives_all_that_its_checks_say_so_that_the_next_has_no_news(
    tmp_path: Path,
) -> None:
    def rule(g: Any, x: Any) -> Any:
        if np.ndim(x) < 3:
            raise ValueError(f"no {('numbers', 'vectors', 'matrices')[np.ndim(x)]} of {np.size(x)} entries")
        return 2 * g * slope(x)

    path = tmp_path / "known.toml"
    path.write_text('[[known]]\nid = "*"\nreason = "another"\nsays = "another"\n')
    first = result_by(rule, "another")
    assert first.evidence is not None
    kinds = {m.split(" of ")[0] for m in messages_of(first)}
    assert kinds >= {"ValueError: no vectors", "ValueError: no matrices", "the gradient"}
    assert write_known(path, [first], "") == 1
    entries = list(read_known(path))
    says = [entry.says for entry in entries]
    assert "ValueError: no vectors of * entries" in says
    again = result_by(rule, entries)
    assert again.verdict is Verdict.KNOWN
    assert write_known(path, [again], "") == 0
    assert not [entry.says for entry in stale(entries, [again]) if entry.reason != "another"]


def test_without_a_list_a_check_ends_at_its_first_failure() -> None:
    found = result_by(lambda g, x: 2 * g * slope(x), "")
    assert found.evidence is not None
    assert found.cases == 1
    assert not found.evidence.also


@pytest.mark.parametrize(
    ("message", "again", "other"),
    [
        (
            "AssertionError: shape of grad_tensor [ tensor_3412 ] is (3,), not () [hint: a*b]",
            "AssertionError: shape of grad_tensor [ tensor_7 ] is (4, 1), not () [hint: a*b]",
            "AssertionError: dtype of grad_tensor [ tensor_7 ] is (4, 1), not () [hint: a*b]",
        ),
        (
            "this ended the process\nSIGSEGV received by PID 31113, at 17:40",
            "this ended the process\nSIGSEGV received by PID 7, at 18:01\nmore",
            "this ended the interpreter",
        ),
        ("InvalidType: an int, please\n", "InvalidType: an int, please\n", "InvalidType: a list, please\n"),
        (
            "TypeError: dimension 0 of float32 must have length 1 but has 2",
            "TypeError: dimension 1 of float32 must have length 1 but has 33",
            "TypeError: dimension 1 of float64 must have length 1 but has 33",
        ),
        ("no <Node at 0x7f13>", "no <Node at 0xdead>", "no <Leaf at 0x7f13>"),
    ],
)
def test_what_is_written_covers_the_failure_of_another_run(
    tmp_path: Path, message: str, again: str, other: str
) -> None:
    path = tmp_path / "known.toml"
    assert write_known(path, [result(Verdict.ERROR, message=message)], "") == 1
    entries = read_known(path)
    assert "\n" not in entries[0].reason
    for text, verdict in ((message, Verdict.KNOWN), (again, Verdict.KNOWN), (other, Verdict.ERROR)):
        assert judge(result(Verdict.ERROR, message=text), entries, TODAY).verdict is verdict, text


@pytest.mark.parametrize("says", ["[scatter] JVP of *", "[[]scatter] JVP of *", "*] JVP of x"])
def test_brackets_of_a_message_may_be_written_as_they_stand(says: str) -> None:
    failed = result(Verdict.FAIL, message="[scatter] JVP of x")
    assert judge(failed, known("*", says=says), TODAY).verdict is Verdict.KNOWN
    assert judge(failed, known("*", says="[scatter] VJP of *"), TODAY).verdict is Verdict.FAIL


def test_what_is_known_of_a_backend_is_known_of_one_that_repeats_it_and_no_pass_there_refutes_it() -> None:
    of_one, of_any = KnownFailure("numpy/op/tanh/*", "r"), KnownFailure("numpy*/op/exp/*", "r")
    exact = KnownFailure("numpy/op/tanh/vjp/float64", "r")
    lines = [BackendLine("numpy.gpu", "numpy", "1", repeats="numpy"), BackendLine("numpy.jit", "numpy", "1")]
    entries = in_force([of_one, of_any, exact], lines)
    on_gpu, on_jit = (f"{line.name}/op/tanh/vjp/float64" for line in lines)
    assert judge(result(Verdict.FAIL, on_gpu), entries, TODAY).verdict is Verdict.KNOWN
    assert judge(result(Verdict.FAIL, on_jit), entries, TODAY).verdict is Verdict.FAIL
    assert judge(result(Verdict.PASS, on_gpu), entries, TODAY).verdict is Verdict.PASS
    assert entries[1] == of_any
    assert not stale([of_one, exact], [result(Verdict.PASS, on_gpu)], backends=lines)


@pytest.mark.parametrize(
    "written",
    ["", "# ours\n", "known = []\n", 'known = [{id = "numpy/op/exp/*", reason = "r", says = "*"}] # ours\n'],
)
def test_what_is_added_to_any_file_can_be_read_again(tmp_path: Path, written: str) -> None:
    path = tmp_path / "known.toml"
    path.write_text(written)
    listed = read_known(path)
    assert write_known(path, [result(Verdict.PASS)], "") == 0
    assert path.read_text() == written
    assert write_known(path, [result(Verdict.FAIL)], "") == 1
    assert read_known(path)[: len(listed)] == listed
    assert len(read_known(path)) == len(listed) + 1


def test_what_is_no_file_is_not_written_into() -> None:
    with pytest.raises(UsageError, match="/dev/null is no file"):
        write_known(Path("/dev/null"), [result(Verdict.FAIL)], "")


def test_an_entry_that_has_expired_is_said(tmp_path: Path) -> None:
    path = tmp_path / "known.toml"
    path.write_text(
        '[[known]]\nid = "a/op/x/*"\nreason = "r"\nexpires = 2020-01-01\n[[known]]\nid = "b/*"\nreason = "r"\n'
    )
    (line,) = expired(path)
    assert line == f"expired on 2020-01-01: a/op/x/* in {path}; its failures count again"
