"""The atlas in lines: what differs in sentences, what does not on one line each."""

from conformance.atlas.entries import Entry
from conformance.atlas.lines import MEANING, lines_of
from conformance.atlas.rows import Row

WIDTH = 100


def row(place: str, **found: tuple[str, str, str]) -> Row:
    entries = {
        name: Entry(
            place, "E11", word, "fair", among=("first", "last"), value=value, call=call, operands="x = [2 2]"
        )
        for name, (call, word, value) in found.items()
    }
    return Row(place, "E11", ("first", "last"), entries)


def test_a_difference_is_one_sentence_with_calls_operands_and_numbers() -> None:
    lines = lines_of(
        [row("max/tie", a=("a.max(x)", "first", "[1 0]"), b=("b.amax(x)", "last", "[0 1]"))], WIDTH
    )
    assert lines[:2] == [
        "backends differ at 1 of 1 places:",
        "max/tie at x = [2 2]. a: a.max(x) gives [1 0] (first); b: b.amax(x) gives [0 1] (last).",
    ]


def test_modes_that_do_the_same_are_named_together() -> None:
    same = ("a.max(x)", "first", "[1 0]")
    (_, line, *_) = lines_of([row("max/tie", a=same, b=same, c=("c.max(x)", "last", "[0 1]"))], WIDTH)
    assert "a, b: a.max(x)" in line


def test_what_is_alike_is_one_line_each_however_long() -> None:
    long = (f"engine.{'deeply.' * 20}max(x)", "first", "[1 0]")
    lines = lines_of([row("max/tie", a=long, b=long)], WIDTH)
    assert len(lines) == 6
    assert lines[3].startswith("max/tie")
    assert lines[3].endswith("…")
    assert max(map(len, lines)) <= WIDTH
    assert lines[-1] == MEANING


def test_a_clause_is_quoted() -> None:
    entries = {name: Entry("A2", "A2", found) for name, found in {"a": "refused", "b": "summed"}.items()}
    text = " ".join(line.strip() for line in lines_of([Row("A2", "A2", (), entries)], WIDTH))
    assert "A2. a: refused; b: summed. A non-scalar output without a gradient argument" in text
