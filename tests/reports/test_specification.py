"""Does a report find the words for what a run names?"""

from __future__ import annotations

from types import ModuleType

import pytest
from conformance_reports import specification as module


class Clause:
    sentence = "A scalar output needs no gradient argument."
    reason = "Its seed is 1."
    level = "must"
    conventions = ("refused", "summed")


class Row:
    name = "tanh"
    formula = "∂z/∂x = 1 − z²"
    source = "the quotient rule"


class Check:
    claim = "The seed has the output's shape"


def planted(monkeypatch: pytest.MonkeyPatch, **members: object) -> dict[str, object]:
    found = ModuleType("planted")
    vars(found).update(members)
    monkeypatch.setattr(module, "import_module", lambda name: found)
    return module.specification()


def test_sentences_rules_families_and_chapters(monkeypatch: pytest.MonkeyPatch) -> None:
    words = planted(
        monkeypatch,
        FAMILIES={"elementwise": (Row,), "named": ["sort"], "mapped": {"exp": Row}},
        ALL_OPS={"tanh": Row},
        STANDARD={"A1": Clause},
        CHAPTERS={"A": "Seeding and results"},
        load_all=lambda: {"contract/A1/seed": Check},
    )
    assert words["claims"] == {"contract/A1/seed": Check.claim}
    assert words["families"] == {"elementwise": ["tanh"], "named": ["sort"], "mapped": ["exp"]}
    assert words["ops"] == {"tanh": {"formula": Row.formula, "source": Row.source}}
    assert words["clauses"] == {
        "A1": {
            "sentence": Clause.sentence,
            "reason": Clause.reason,
            "level": "must",
            "conventions": ["refused", "summed"],
        }
    }
    assert words["chapters"] == {"A": "Seeding and results"}


def test_what_the_specification_does_not_know_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    assert planted(monkeypatch) == {"families": {}, "ops": {}, "clauses": {}, "chapters": {}, "claims": {}}


def test_the_installed_specification_is_plain_data() -> None:
    words = module.specification()
    assert set(words) == {"families", "ops", "clauses", "chapters", "claims"}
