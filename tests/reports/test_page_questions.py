"""Does the report answer what readers ask first, each within three clicks, and keep what they set in the address?"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from conformance_reports.html import render
from msgspec import structs
from playwright.sync_api import Locator, Page, expect

from conformance.runfile.atlas_cell import AtlasCell
from conformance.runfile.causes import causes_of
from conformance.runfile.compare import compare
from conformance.runfile.jsonl import Run, encode
from conformance.runfile.records import Evidence, Verdict

from .conftest import Open, go
from .synthetic import result, small_run

MOST_CLICKS = 3


class Reader:
    """Somebody who opens the report and clicks: no address is typed, and every click is counted."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.clicks = 0

    def click(self, what: Locator) -> None:
        what.click()
        self.clicks += 1

    def follow(self, link: str) -> None:
        self.click(self.page.get_by_role("link", name=link).first)


@pytest.fixture
def reader(visit: Open, small: str) -> Iterator[Reader]:
    """A reader on the first view, who may click three times."""
    found = Reader(visit(small))
    yield found
    assert found.clicks <= MOST_CLICKS


def test_first_question_is_it_all_right_takes_no_click(reader: Reader) -> None:
    answers = reader.page.locator(".glance li")
    expect(answers.nth(0)).to_contain_text("slate")
    expect(answers.nth(0)).to_contain_text("silently wrong numbers")
    expect(answers.nth(2)).to_contain_text("mini")
    expect(answers.nth(2)).to_contain_text("✓ nothing failed")


def test_second_question_its_worst_fault_and_the_script_take_one_click_its_numbers_two(
    reader: Reader,
) -> None:
    reader.click(reader.page.locator(".glance li").first.get_by_role("link").nth(1))
    cause = reader.page.locator(".cause").first
    expect(cause.locator("pre")).to_contain_text("slate.atan2(x, x)")
    reader.click(cause.get_by_role("link", name="The worst case, with its numbers"))
    expect(reader.page.locator("td.out").first).to_contain_text("0.5")


def test_third_question_where_two_engines_differ_for_three_ops_takes_one_click(reader: Reader) -> None:
    reader.follow("Where do slate and mini differ?")
    reader.page.get_by_label("ops of a model").fill("atan2, tanh, sort")
    expect(reader.page.locator(".differences")).to_contain_text("slate: gradient of operand 1 of atan2")
    expect(reader.page.get_by_role("status")).to_contain_text("none found for tanh")


@pytest.mark.parametrize("link", ["What changed since another run?", "Compare"])
def test_fourth_question_what_changed_takes_one_click_and_a_file(
    reader: Reader, link: str, tmp_path: Path
) -> None:
    before = earlier(small_run())
    (tmp_path / "old.jsonl").write_text("\n".join(map(encode, (before.header, *before.results))))
    reader.follow(link)
    with reader.page.expect_file_chooser() as chooser:
        reader.click(reader.page.locator("input[type=file]"))
    chooser.value.set_files(tmp_path / "old.jsonl")
    expect(reader.page.locator(".comparison h2").first).to_have_text("newly failing (1)")


def test_fifth_question_how_fast_and_whether_to_believe_it_takes_one_click(reader: Reader) -> None:
    reader.follow("How fast is each engine?")
    expect(reader.page.locator(".ratios tbody")).to_contain_text("×")
    expect(reader.page.get_by_role("heading", name="Can these figures be trusted?")).to_be_visible()


def test_is_this_engine_all_right(visit: Open, small: str) -> None:
    page = visit(small)
    expect(page.locator(".glance li").nth(0)).to_contain_text("silently wrong numbers")
    expect(page.locator(".glance li").nth(2)).to_contain_text("✓ nothing failed")
    assert page.locator(".glance b").all_inner_texts() == ["slate", "tape", "mini"]
    box = page.locator(".glance li").last.bounding_box()
    assert box is not None
    assert box["y"] + box["height"] < 860, "the answer is on the first screen"
    first = page.locator(".standings > li").first
    expect(first.locator("h3")).to_have_text("slate")
    expect(first.locator(".found")).to_contain_text("causes of failure")
    assert page.locator(".standings h3").all_inner_texts() == ["slate", "tape", "mini"]
    expect(page.locator(".standings > li").nth(1)).to_contain_text("1 cause of failure, all known")
    expect(page.locator(".standings > li").nth(2)).to_contain_text("✓ nothing failed")


def test_what_is_its_worst_fault_and_how_do_i_see_it(visit: Open, small: str) -> None:
    page = visit(small)
    worst = page.locator(".standings > li").first.locator(".worst li").first
    expect(worst).to_contain_text("silently wrong numbers")
    worst.locator("a").click()  # one click
    cause = page.locator(".cause.chosen")
    expect(cause).to_contain_text("atan2")
    expect(cause).to_contain_text("Got 0.5, expected −0.5 at [0, 2]")
    expect(cause).to_contain_text("E1")
    expect(cause.locator("pre")).to_be_visible()
    expect(cause.locator("pre")).to_contain_text("slate.atan2(x, x)")
    cause.get_by_role("link", name="The worst case").click()  # two clicks
    expect(page.locator("h1")).to_have_text("atan2 · vjp")


def test_where_do_two_engines_differ_for_these_ops(visit: Open, small: str) -> None:
    page = visit(small)
    page.get_by_role("link", name="Two engines").click()
    page.get_by_role("combobox", name="one", exact=True).select_option("tape")
    page.get_by_role("combobox", name="other", exact=True).select_option("slate")
    page.get_by_label("ops of a model").fill("atan2, sort")
    expect(page.locator(".differences h3")).to_have_text(["atan2", "sort"])
    expect(page.locator(".differences")).to_contain_text("slate: gradient of operand 1 of atan2")
    expect(page.locator(".differences")).to_contain_text("tape passes these 2 checks")
    assert "ops=atan2" in page.url
    again = visit(page.url)
    expect(again.locator(".differences h3")).to_have_text(["atan2", "sort"])


def test_the_atlas_leads_to_two_engines_side_by_side(visit: Open, small: str) -> None:
    page = visit(f"{small}#/atlas")
    page.get_by_role("link", name="tape ↔ slate").click()
    expect(page.locator(".differences")).to_contain_text("tape: refused; slate: summed.")


def earlier(now: Run) -> Run:
    """A run before `now`: one question passed, one failed, one had another message, one is new, one is gone."""
    lines = {line.id: line for line in now.results}
    lines["slate/op/atan2/vjp/float64"] = structs.replace(
        lines["slate/op/atan2/vjp/float64"], verdict=Verdict.PASS, evidence=None
    )
    lines["tape/op/add/vjp/float64"] = structs.replace(
        lines["tape/op/add/vjp/float64"],
        verdict=Verdict.FAIL,
        evidence=lines["slate/op/atan2/vjp/float32"].evidence,
    )
    sort = lines["slate/op/sort/layout/float64"]
    assert sort.evidence is not None
    lines[sort.id] = structs.replace(
        sort, evidence=structs.replace(sort.evidence, message="ValueError: 3 axes")
    )
    del lines["mini/op/tanh/vjp/float64"]
    gone = result("tape", "erf", "vjp")
    backends = tuple(
        structs.replace(b, version="1.3.0") if b.name == "slate" else b for b in now.header.backends
    )
    header = structs.replace(now.header, backends=backends)
    return Run(header, [*lines.values(), gone], now.timings, [], [], now.end)


@pytest.mark.parametrize("how", ["embedded", "run file", "report"])
def test_what_changed_since_the_last_run(visit: Open, small: str, tmp_path: Path, how: str) -> None:
    now = small_run()
    before = earlier(now)
    if how == "embedded":
        (tmp_path / "now.html").write_text(render([now], [before]), encoding="utf-8")
        page = visit((tmp_path / "now.html").as_uri())
        page.get_by_role("link", name="What changed since another run?").click()
    else:
        page = visit(small)
        page.get_by_role("link", name="What changed since another run?").click()
        path = tmp_path / ("old.jsonl" if how == "run file" else "old.html")
        lines = (before.header, *before.results, *before.timings)
        text = "\n".join(map(encode, lines)) if how == "run file" else render([before])
        path.write_text(text, encoding="utf-8")
        page.locator("input[type=file]").set_input_files(path)
    expect(page.locator(".comparison h2").first).to_have_text("newly failing (1)")
    expect(page.locator(".found.bad")).to_contain_text("✗ 1 regression")
    expected = compare(before, now)
    headings = page.locator(".comparison h2").all_inner_texts()
    found = {name: int(n.rstrip(")")) for name, n in (heading.split(" (") for heading in headings)}
    assert found == expected.counts
    expect(page.locator("main")).to_contain_text("1.3.0")
    page.get_by_role("combobox", name="change", exact=True).select_option("newly passing")
    assert "change=newly" in page.url
    expect(page.locator(".comparison h2")).to_have_text(["newly passing (1)"])


def failures_of_every_kind(shift: int) -> Run:
    """Failing results of one engine, each of another kind than in a run of another `shift`."""
    compared = (
        (1.0 + 1e-10, 1.0),
        (-1.0, 1.0),
        ("nan", 1.0),
        ("1.0000000001+2j", "1+2j"),
        ("-2j", "(1-infj)"),
        (0.0, 0.0),
    )
    kinds: list[dict[str, object]] = [
        *({"verdict": Verdict.FAIL, "evidence": Evidence("off", got=[0, got], expected=[0, true], where="[1]")} for got, true in compared),
        {"verdict": Verdict.FAIL, "clause": "A11", "evidence": Evidence("shared", got=[7.0], expected=[0.5])},
        {"verdict": Verdict.FAIL, "evidence": Evidence("its shape is (2,), that of its operand ()")},
        {"verdict": Verdict.ERROR, "evidence": Evidence("ValueError: no")},
        {"verdict": Verdict.KNOWN, "evidence": Evidence("ValueError: no", reason="listed")},
        {"verdict": Verdict.KNOWN, "evidence": Evidence("off", got=[2.0], expected=[1.0], reason="listed", failed_as="fail")},
        {"verdict": Verdict.CRASH, "evidence": Evidence("signal 11")},
        {"verdict": Verdict.ADAPTER_ERROR, "evidence": Evidence("TypeError: no")},
        {"verdict": Verdict.INTERRUPTED},
        {"verdict": Verdict.UNSUPPORTED},
        {"verdict": Verdict.PASS},
    ]  # fmt: skip
    count = len(kinds)
    lines = [
        result("tape", f"op{first}", f"check{step}", **kinds[(first + shift * step) % count], dtype=dtype)
        for first in range(count)
        for step in range(count)
        for dtype in ("float64", "float32", "float16")
    ]
    return Run(small_run().header, lines, [], [], [], small_run().end)


@pytest.mark.parametrize("how", ["run file", "report"])
def test_the_page_and_the_command_agree_on_what_is_worse(visit: Open, tmp_path: Path, how: str) -> None:
    before, now = failures_of_every_kind(0), failures_of_every_kind(1)
    (tmp_path / "now.html").write_text(render([now]), encoding="utf-8")
    page = visit(f"{(tmp_path / 'now.html').as_uri()}#/compare")
    path = tmp_path / ("old.jsonl" if how == "run file" else "old.html")
    lines = (before.header, *before.results)
    path.write_text(
        "\n".join(map(encode, lines)) if how == "run file" else render([before]), encoding="utf-8"
    )
    page.locator("input[type=file]").set_input_files(path)
    expect(page.locator(".comparison h2").first).to_contain_text("newly failing")
    headings = page.locator(".comparison h2").all_inner_texts()
    found = {name: int(n.rstrip(")")) for name, n in (heading.split(" (") for heading in headings)}
    assert found == compare(before, now).counts
    assert found["failing worse"] > 100


def test_a_file_that_is_no_run_is_refused_in_a_sentence(visit: Open, small: str, tmp_path: Path) -> None:
    page = visit(f"{small}#/compare")
    (tmp_path / "x.jsonl").write_text(json.dumps({"type": "other"}), encoding="utf-8")
    page.locator("input[type=file]").set_input_files(tmp_path / "x.jsonl")
    expect(page.get_by_role("alert")).to_contain_text(
        "x.jsonl cannot be compared: its first line is no header"
    )


def test_how_fast_is_each_engine_and_can_i_trust_the_figure(visit: Open, small: str) -> None:
    page = visit(small)
    page.get_by_role("link", name="How fast is each engine?").click()
    expect(page.locator(".trust")).to_contain_text("Can these figures be trusted?")
    expect(page.locator(".trust")).to_contain_text("does not say how busy the machine was")


def test_a_doubtful_time_is_marked_and_says_why(visit: Open, tmp_path: Path) -> None:
    run = small_run()
    why = "the machine was busy: this process had 40 % of a core"
    run.timings = [
        structs.replace(t, doubt=why, share=0.4) if t.backend == "slate" else t for t in run.timings
    ]
    (tmp_path / "busy.html").write_text(render([run]), encoding="utf-8")
    page = visit(f"{(tmp_path / 'busy.html').as_uri()}#/timing")
    expect(page.locator(".trust")).to_contain_text("! 24 of 72 are doubtful; they are marked with ?")
    expect(page.locator(".trust")).to_contain_text("at least 40 % of a core for this process")
    expect(page.locator(".ratios")).to_contain_text("? 2.9×")


def test_a_count_links_to_exactly_what_it_counts(visit: Open, small: str) -> None:
    page = visit(small)
    for engine in ("slate", "tape"):
        for link in (
            page.locator(".standings > li", has=page.get_by_role("heading", name=engine))
            .locator(".counts a")
            .all()
        ):
            shown, address = link.inner_text(), link.get_attribute("href")
            other = visit(small + str(address))
            number = "".join(filter(str.isdigit, shown))
            expect(other.get_by_role("status")).to_have_text(f"{number} result" + "s" * (number != "1"))


def test_filters_of_the_list_stand_in_the_address_and_can_be_taken_away(visit: Open, small: str) -> None:
    page = visit(f"{small}#/results?cause=0")
    expect(page.locator(".results li")).to_have_count(4)
    page.get_by_label("dtype").select_option("float32")
    assert "dtype=float32" in page.url
    assert "cause=0" in page.url
    expect(page.locator(".results li")).to_have_count(2)
    page.locator("p.chips a").click()
    expect(page.locator(".results li").first).to_be_visible()
    assert "cause" not in page.url
    assert "dtype=float32" in page.url


def test_results_of_one_op_are_a_filter(visit: Open, small: str) -> None:
    page = visit(f"{small}#/results?verdict=fail")
    page.get_by_label("op or point").select_option("atan2")
    assert "subject=atan2" in page.url
    expect(page.get_by_role("status")).to_have_text("4 results")
    again = visit(page.url)
    expect(again.get_by_label("op or point")).to_have_value("atan2")


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_causes_and_changes_have_the_filters_of_results(visit: Open, tmp_path: Path, dtype: str) -> None:
    now = small_run()
    before = earlier(now)
    (tmp_path / "now.html").write_text(render([now], [before]), encoding="utf-8")
    page = visit(f"{(tmp_path / 'now.html').as_uri()}#/compare")
    page.get_by_label("dtype").select_option(dtype)
    changed = [a for a, b in expected_changes(before, now) if b == dtype]
    assert f"dtype={dtype}" in page.url
    expect(page.get_by_role("status")).to_contain_text(f"{len(changed)} change")
    go(page, f"/engine/slate?dtype={dtype}")
    causes = [c for c in causes_of(now.header.backends, now.results) if c.engine == "slate"]
    kept = [c for c in causes if any(line.dtype == dtype for line in c.results)]
    assert 0 < len(kept) < len(causes) or dtype == "float64"
    expect(page.get_by_role("status").first).to_contain_text(f"{len(kept)} cause")


def expected_changes(before: Run, now: Run) -> list[tuple[str, str]]:
    """The ids whose result is another in the later run, with their dtypes."""
    old, new = ({line.id: line for line in run.results} for run in (before, now))
    ids = sorted({*old, *new})
    return [(name, (new.get(name) or old[name]).dtype) for name in ids if old.get(name) != new.get(name)]


def test_back_closes_the_panel_of_a_cell_and_the_cell_is_marked(visit: Open, small: str) -> None:
    page = visit(f"{small}#/matrix?q=atan2")
    page.locator("a[data-cell='op/atan2|slate']").click()
    expect(page.locator(".cell.chosen")).to_have_attribute("data-cell", "op/atan2|slate")
    expect(page.locator(".panel")).to_be_visible()
    page.go_back()
    expect(page.locator(".panel")).to_be_hidden()
    expect(page.locator("h1")).to_have_text("Matrix")
    assert "q=atan2" in page.url


def test_a_slash_searches_everything_from_every_view(visit: Open, small: str) -> None:
    page = visit(f"{small}#/timing")
    page.keyboard.press("/")
    page.keyboard.type("atan2")
    found = page.locator(".found-list li")
    expect(found.first).to_contain_text("op atan2")
    expect(found.filter(has_text="cause").first).to_be_visible()
    page.keyboard.press("Enter")
    expect(page.locator("h1")).to_have_text("atan2")
    expect(page.locator("dialog")).to_be_hidden()


def test_a_printed_matrix_is_whole(visit: Open, small: str) -> None:
    page = visit(f"{small}#/matrix")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")
    port, table = page.locator(".port"), page.locator(".matrix")
    assert port.bounding_box()["height"] >= table.bounding_box()["height"]  # type: ignore[index]
    assert page.locator(".matrix tbody tr:not(.heading)").count() == 17
    page.set_viewport_size({"width": 700, "height": 900})  # a page of paper
    assert table.evaluate("table => table.scrollWidth") <= 700
    page.emulate_media(media="screen")


def test_a_narrow_overview_is_no_endless_list(visit: Open, small: str) -> None:
    page = visit(small, width=390)
    assert page.evaluate("document.documentElement.scrollHeight") < 4000
    go(page, "/engine/slate")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_the_page_of_an_op_says_what_its_cases_cover(visit: Open, tmp_path: Path) -> None:
    run = small_run()
    at = next(n for n, r in enumerate(run.results) if r.id == "tape/op/tanh/vjp/float64")
    run.results[at] = structs.replace(run.results[at], levels=(31, 33), pairs=(400, 512))
    (tmp_path / "covered.html").write_text(render([run]), encoding="utf-8")
    page = visit(f"{(tmp_path / 'covered.html').as_uri()}#/op/tanh")
    expect(page.locator("main")).to_contain_text("31 of 33")
    go(page, "/op/exp")
    expect(page.locator("main")).not_to_contain_text("What the cases cover")


def test_a_long_atlas_is_short_on_a_phone_until_it_is_asked_for(visit: Open, tmp_path: Path) -> None:
    run = small_run()
    run.results = [
        result(
            "tape",
            f"point{n}",
            "kink",
            kind="point",
            atlas=AtlasCell("zero", "fair"),
            id=f"tape/point/point{n}/kink",
        )
        for n in range(200)
    ]
    (tmp_path / "long.html").write_text(render([run]), encoding="utf-8")
    page = visit(f"{(tmp_path / 'long.html').as_uri()}#/atlas", width=390)
    rows = page.locator(".atlas tbody tr")
    expect(rows).to_have_count(40)
    page.get_by_role("button", name="Show all").click()
    assert rows.count() >= 200
    assert "rows=all" in page.url
    wide = visit(f"{(tmp_path / 'long.html').as_uri()}#/atlas")
    assert wide.locator(".atlas tbody tr").count() >= 200


def test_an_op_that_an_engine_does_not_offer_is_not_called_not_run(visit: Open, tmp_path: Path) -> None:
    run = small_run()
    run.results = [
        structs.replace(line, verdict=Verdict.UNSUPPORTED, accuracy=None, ulp=None)
        if line.id == "mini/op/tanh/vjp/float64"
        else line
        for line in run.results
    ]
    (tmp_path / "lacks.html").write_text(render([run]), encoding="utf-8")
    page = visit(f"{(tmp_path / 'lacks.html').as_uri()}#/accuracy?dtype=float64")
    expect(page.locator(".ulps tr", has_text="tanh")).to_contain_text("– unsupported")


def test_the_page_of_an_engine_says_what_it_lacks_declares_measures_and_takes(
    visit: Open, small: str
) -> None:
    page = visit(f"{small}#/engine/slate")
    headings = page.locator("main > h2, summary h2").all_inner_texts()
    assert headings == ["What fails", "What it does not offer", "Its conventions", "Accuracy", "Speed"]
    for line in page.locator("main .clause", has=page.locator("a")).all():
        number = line.locator("a").inner_text()
        assert line.locator("a").get_attribute("href") == f"#/clause/{number}"
        assert len(line.inner_text()) > len(number) + 20, "a clause stands beside its sentence"
    expect(page.get_by_role("group", name="Speed").locator("tbody tr")).to_have_count(24)


def test_a_run_dropped_on_any_view_is_compared(visit: Open, small: str) -> None:
    before = earlier(small_run())
    slower = [structs.replace(t, median=9.0, low=8.0, high=10.0) for t in before.timings[:1]]
    text = "\n".join(map(encode, (before.header, *before.results, *slower)))
    page = visit(f"{small}#/timing")
    page.evaluate(
        """text => {
            const held = new DataTransfer();
            held.items.add(new File([text], "old.jsonl"));
            document.body.dispatchEvent(new DragEvent("drop", { dataTransfer: held, bubbles: true, cancelable: true }));
        }""",
        text,
    )
    expect(page.locator(".found.bad")).to_contain_text("1 regression")
    expect(page.locator("main")).to_contain_text("old.jsonl")
    expect(page.get_by_role("group", name="Times").locator("tbody tr")).to_have_count(1)


def test_the_address_of_what_is_shown_can_be_copied(visit: Open, small: str) -> None:
    page = visit(f"{small}#/results?verdict=fail")
    page.evaluate(
        "Object.defineProperty(navigator, 'clipboard', { value: { writeText: async (t) => { window.copied = t; } } })"
    )
    page.get_by_role("button", name="Copy link").click()
    expect(page.get_by_role("button", name="✓ copied")).to_be_visible()
    assert page.evaluate("window.copied") == page.url


def test_the_words_are_one_click_from_the_overview(visit: Open, small: str) -> None:
    page = visit(small)
    page.get_by_role("link", name="What the words mean").click()
    words = page.locator(".words")
    expect(words).to_contain_text("silently wrong numbers")
    expect(page.locator("main .clause a").first).to_have_attribute("href", "#/clause/A1")


def test_comments_alone_are_not_called_a_script(visit: Open, tmp_path: Path) -> None:
    run = small_run()
    run.results = [
        structs.replace(r, evidence=structs.replace(r.evidence, script="\n# expected 1.0\n# got 0.0\n"))
        if r.evidence
        else r
        for r in run.results
    ]
    (tmp_path / "comments.html").write_text(render([run]), encoding="utf-8")
    page = visit(f"{(tmp_path / 'comments.html').as_uri()}#/engine/slate")
    expect(page.locator(".cause").first).to_contain_text("See it again: conformance replay")
    expect(page.locator(".cause pre")).to_have_count(0)
    go(page, "/case/slate/op/atan2/vjp/float64")
    expect(page.get_by_role("tabpanel")).to_contain_text("No script was recorded")
