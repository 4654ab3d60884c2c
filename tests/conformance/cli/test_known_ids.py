"""An id of a known failure that names nothing of the suite is said to match nothing, with the nearest name."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.cli import main
from conformance.cli.pages.known_ids import in_one_line, nameless


def listed(folder: Path, *ids: str) -> Path:
    path = folder / "known.toml"
    path.write_text("".join(f'[[known]]\nid = "{i}"\nreason = "r"\n\n' for i in ids))
    return path


@pytest.mark.parametrize(
    ("identifier", "said"),
    [
        ("mine/op/tanhh/*", "there is no op tanhh; did you mean mine/op/tanh/*?"),
        ("mine/op/round/*", "there is no op round; did you mean mine/op/rint/*?"),
        ("mine/op/tanh/vpj/*", "there is no check of an op vpj; did you mean mine/op/tanh/vjp/*?"),
        ("mine/opp/tanh/*", "there is no kind of check opp; did you mean mine/op/tanh/*?"),
        (
            "mine/point/relu/at-00",
            "there is no special point of relu at-00; did you mean mine/point/relu/at-0?",
        ),
        ("mine/contract/B99/*", "there is no clause with such a check B99; did you mean mine/contract/B"),
        (
            "mine/contract/B3/two-cals",
            "there is no check of B3 two-cals; did you mean mine/contract/B3/two-calls?",
        ),
        ("mine/capability/tapes", "there is no capability tapes; did you mean mine/capability/tape?"),
    ],
)
def test_an_id_that_names_nothing_is_said_with_what_is_near(
    identifier: str, said: str, tmp_path: Path
) -> None:
    (line,) = nameless(listed(tmp_path, identifier))
    assert line.startswith(f"{identifier} in {tmp_path / 'known.toml'} can match nothing: {said}")


@pytest.mark.parametrize(
    "identifier",
    [
        "mine*/op/tanh/*",
        "*/op/*/vjp/*",
        "*",
        "mine/op/t?nhh/*",
        "mine/point/relu/*",
        "mine/contract/B3",
        "mine/program/*",
    ],
)
def test_an_id_that_may_match_is_no_news(identifier: str, tmp_path: Path) -> None:
    assert nameless(listed(tmp_path, identifier)) == []


def test_a_run_says_it_in_one_line_and_known_check_all(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, run = listed(tmp_path, "numpy/op/tanhh/*", "numpy/op/expp/*"), tmp_path / "run.jsonl"
    assert len(list(in_one_line(nameless(path)))) == 1
    asked = ["run", "numpy", "-q", "op/tanh/value/float64", "-n", "1", "--known", str(path), "-o", str(run)]
    assert main(asked) == 0
    said = [line for line in capsys.readouterr().err.splitlines() if "can match nothing" in line]
    assert len(said) == 1
    assert "numpy/op/tanhh/*" in said[0]
    assert "1 more" in said[0]
    main(["known", "check", str(run), "--known", str(path)])
    printed = capsys.readouterr().out
    assert "did you mean numpy/op/tanh/*?" in printed
    assert "there is no op expp; did you mean" in printed
