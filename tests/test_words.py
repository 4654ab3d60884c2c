"""The withdrawn words occur nowhere: sources, messages and documents use the terms of the field."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from conformance.checks import load_all

ROOT = Path(__file__).parents[1]
SEARCHED = (
    *("conformance", "backends", "reports", "tests", "examples", "docs"),
    *("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "known-failures.toml", "pyproject.toml", "tox.ini"),
)
EXEMPT = {Path(__file__).relative_to(ROOT).as_posix()}

# What is withdrawn, as a pattern between two characters that are no letters, and what is written instead.
WITHDRAWN = {
    r"witness\w*|testimon\w*": "diagnostic, diagnosis",
    r"acquit\w*": "not the engine's fault",
    r"bystander\w*": "cross-engine check",
    r"disput\w*": "worst entry",
    r"vacuous\w*|vacuity": "undecided, check power",
    r"notebooks?": "script builder",
    r"lessons?": "explanation",
    r"told|telling": "reported, printed, stated, distinguished",
    r"elect(?:s|ed|ing|ions?)?": "convention, declares, declared",
    r"(?<!ast\.)(?<!os\.)(?<!pkgutil\.)(?<!traceback\.)walk(?:s|ed|er|ers|ing)?": "backward pass, traversed",
    r"is not the rule'?s": "differs from the reference VJP",
    r"number[ _-]kinds": "dtypes",
    r"ways[ _-]to[ _-]run": "transforms",
    r"repeated[ _-]places": "duplicate indices",
    r"cutting": "detach, no_grad, stopped",
    r"turn(?:s|ed)?[ _](?:of (?:a|the) )?gradients?|gradients?[ _]turn(?:s|ed)?": "second derivative, Hessian-vector product",
}
WITHDRAWN_AS_SPELT = {
    "STRAIGHT": "PIECEWISE_LINEAR",
    "Curved": "SecondOrderCase",
    "SPREADS": "MULTIPLE, the factor of the allowance",
    "MOVES": "PERTURBATIONS",
}


def _pattern(words: dict[str, str], flags: re.RegexFlag) -> re.Pattern[str]:
    return re.compile(rf"(?<![A-Za-z])(?:{'|'.join(words)})(?![A-Za-z])", flags)


FOLDED, SPELT = _pattern(WITHDRAWN, re.IGNORECASE), _pattern(WITHDRAWN_AS_SPELT, re.NOFLAG)


def instead(word: str) -> str:
    """What is written instead of a withdrawn word."""
    words = {**WITHDRAWN, **WITHDRAWN_AS_SPELT}
    found = (text for pattern, text in words.items() if re.fullmatch(pattern, word, re.IGNORECASE))
    return next(found, "")


def withdrawn_in(text: str, ids: re.Pattern[str]) -> Iterator[tuple[int, str]]:
    """The line and the word of each withdrawn word, those in the ids of checks left out."""
    for number, line in enumerate(text.splitlines(), start=1):
        plain = ids.sub("", line)
        for pattern in (FOLDED, SPELT):
            yield from ((number, found[0]) for found in pattern.finditer(plain))


@pytest.fixture(scope="module")
def ids() -> re.Pattern[str]:
    """The names of checks that are of several words: they are parts of ids, which are stable."""
    names = sorted({check.name for check in load_all().values() if "-" in check.name})
    return re.compile(rf"\b(?:{'|'.join(map(re.escape, names))})\b")


def test_no_withdrawn_word_is_used(ids: re.Pattern[str]) -> None:
    listed = subprocess.run(
        ["git", "ls-files", "--", *SEARCHED], cwd=ROOT, capture_output=True, text=True, check=True
    )
    found = []
    for name in listed.stdout.splitlines():
        if name in EXEMPT or not (ROOT / name).is_file():
            continue
        text = (ROOT / name).read_text(encoding="utf-8", errors="ignore")
        found += [f"{name}:{line}: {word} -> {instead(word)}" for line, word in withdrawn_in(text, ids)]
        found += [
            f"{name}: the file is called {word} -> {instead(word)}" for _, word in withdrawn_in(name, ids)
        ]
    assert not found, f"{len(found)} withdrawn words:\n" + "\n".join(found)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("as the adapter elects", ["elects"]),
        ("a selection of electric_ops", []),
        ("def _walk_back(told):", ["walk", "told"]),
        ("for node in ast.walk(tree): os.walk(folder)", []),
        ("the gradient is not the rule's", ["is not the rule's"]),
        ("contract/B6/walked-twice", []),
        ("NUMBER_KINDS = number kinds", ["NUMBER_KINDS", "number kinds"]),
        ("if MOVES: moves", ["MOVES"]),
    ],
)
def test_words_are_found_between_letters_and_not_in_ids(line: str, words: list[str]) -> None:
    assert [word for _, word in withdrawn_in(line, re.compile("walked-twice"))] == words


@pytest.mark.parametrize("word", ["witnesses", "Bystander", "walked", "MOVES", "ways_to_run", "telling"])
def test_every_word_has_a_replacement(word: str) -> None:
    assert instead(word)
