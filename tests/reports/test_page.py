"""Does the page work for a reader: in a real browser, from disk, by keyboard, on a phone, in the dark?"""

from __future__ import annotations

from pathlib import Path
from urllib.parse import quote

import pytest
from conformance_reports.html import render
from msgspec import structs
from playwright.sync_api import Page, expect

from conformance.runfile.atlas_cell import AtlasCell
from conformance.runfile.records import Evidence, Verdict

from .conftest import Open, go
from .synthetic import BACKENDS, result, small_run

CASE = "/case/slate/op/atan2/vjp/float64"
VIEWS = (
    *(
        "/overview",
        "/engine/slate",
        "/op/atan2",
        "/clause/E1",
        "/results?verdict=fail",
        "/differ",
        "/compare",
    ),
    *("/glossary", "/matrix", "/matrix?by=clause", CASE, "/atlas", "/accuracy", "/timing", "/about"),
)


@pytest.mark.parametrize("width", [1280, 390])
def test_every_view_opens_without_complaint_and_never_scrolls_sideways(
    visit: Open, small: str, width: int
) -> None:
    page = visit(small, width=width)
    for view in VIEWS:
        go(page, view)
        expect(page.locator("main h1")).to_have_count(1)
        assert page.evaluate("document.documentElement.scrollWidth") <= width, view


def test_an_unknown_address_shows_the_overview_and_an_unknown_result_says_so(visit: Open, small: str) -> None:
    expect(visit(f"{small}#/nowhere").locator("h1")).to_have_text("How the engines did")
    expect(visit(f"{small}#/case/no/such").locator("main")).to_contain_text("This run holds no result named")


def test_a_run_without_failures_says_so(visit: Open, spotless: str) -> None:
    page = visit(spotless)
    expect(page.locator(".standings li").first).to_contain_text("✓ nothing failed")
    for view in ("/overview", "/engine/tape", "/atlas", "/accuracy", "/compare", "/op/tanh"):
        go(page, view)
        expect(page.locator("main")).not_to_contain_text("null")
        expect(page.locator("main")).not_to_contain_text("undefined")


def test_what_the_run_met_beside_its_results_is_said_first(visit: Open, tmp_path: Path) -> None:
    run = small_run()
    assert run.end is not None
    met = {
        "trouble": ("no disk space",),
        "left_out": ("svd",),
        "unexplained": ("slate ended, and not again",),
    }
    run.end = structs.replace(run.end, **met)
    path = tmp_path / "beside.html"
    path.write_text(render([run]), encoding="utf-8")
    said = visit(path.as_uri()).locator("section[aria-labelledby=beside] li")
    assert said.all_inner_texts() == [
        "! Went wrong in the run, not in an engine: no disk space",
        "! Ended processes, so that questions about other things were asked without: svd",
        "! slate ended, and not again",
    ]


def test_nothing_beside_the_results_is_not_spoken_of(visit: Open, small: str) -> None:
    expect(visit(small).locator("section[aria-labelledby=beside]")).to_have_count(0)


def test_an_exception_has_the_line_that_raised_it(visit: Open, tmp_path: Path) -> None:
    run = small_run()
    failed = result(
        "slate", "tanh", "raises", verdict=Verdict.ERROR, evidence=Evidence("KeyError", raised="ops.py:7")
    )
    run.results.append(failed)
    path = tmp_path / "raised.html"
    path.write_text(render([run]), encoding="utf-8")
    facts = visit(f"{path.as_uri()}#/case/{failed.id}").locator(".facts", has_text="raised at")
    expect(facts).to_contain_text("ops.py:7")


def labels(page: object) -> list[str]:
    return page.locator(".matrix tbody tr:not(.heading) th span").all_inner_texts()  # type: ignore[attr-defined]


def test_filters_narrow_the_matrix_and_stand_in_the_address(visit: Open, small: str) -> None:
    page = visit(f"{small}#/matrix")
    page.get_by_label("text").fill("matmul")
    expect(page.locator(".matrix tbody tr:not(.heading) th span")).to_have_text(["matmul"])
    assert "q=matmul" in page.url
    page.get_by_label("text").fill("")
    expect(page.get_by_role("status")).to_have_text("17 rows")
    page.get_by_label("verdict").select_option("crash")
    assert labels(page) == ["sort"]
    page.get_by_label("verdict").select_option("")
    page.get_by_label("engines differ").check()
    assert set(labels(page)) == {"A2", "atan2", "conv2d", "norm", "sort", "where"}
    page.get_by_label("dtype").select_option("float32")
    assert "dtype=float32" in page.url
    expect(page.get_by_role("status")).to_have_text("5 rows")


def test_the_address_restores_the_state(visit: Open, small: str) -> None:
    page = visit(f"{small}#/matrix?q=atan&verdict=fail&differ=1&cell={quote('op/atan2|slate')}")
    assert page.get_by_label("text").input_value() == "atan"
    assert page.get_by_label("verdict").input_value() == "fail"
    assert page.get_by_label("engines differ").is_checked()
    assert labels(page) == ["atan2"]
    expect(page.locator(".panel h2")).to_have_text("atan2 on slate")


def test_a_cell_opens_its_checks_and_they_lead_to_cases_and_back(visit: Open, small: str) -> None:
    page = visit(f"{small}#/matrix?q=atan2")
    page.locator("a[data-cell='op/atan2|slate']").click()
    expect(page.locator(".panel")).to_contain_text("6 of 8 judged passed")
    page.locator(".panel .chip.bad").first.click()
    expect(page.locator("h1")).to_have_text("atan2 · vjp")
    page.go_back()
    expect(page.locator(".panel h2")).to_have_text("atan2 on slate")
    page.keyboard.press("Tab")
    page.locator(".panel .close").focus()
    page.keyboard.press("Escape")
    expect(page.locator(".panel")).to_be_hidden()
    assert "cell=" not in page.url


def test_arrow_keys_cross_the_matrix_and_enter_opens(visit: Open, small: str) -> None:
    page = visit(f"{small}#/matrix?by=subject")
    page.locator("a[data-cell]").first.focus()
    start = page.evaluate("document.activeElement.dataset.cell")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    there = page.evaluate("document.activeElement.dataset.cell")
    assert start.endswith("|tape")
    assert there.endswith("|slate")
    assert there.split("|")[0] != start.split("|")[0]
    page.keyboard.press("End")
    assert page.evaluate("document.activeElement.dataset.cell").endswith("|mini")
    for _ in range(30):
        page.keyboard.press("ArrowDown")
    last = page.evaluate("document.activeElement.dataset.cell")
    assert last == "capability/capability higher_order|mini"
    page.keyboard.press("Enter")
    expect(page.locator(".panel h2")).to_have_text("capability higher_order on mini")
    expect(page.locator(".panel h2")).to_be_focused()


def test_only_one_cell_is_a_stop_of_the_tab_key(visit: Open, small: str) -> None:
    page = visit(f"{small}#/matrix")
    assert page.locator("a[data-cell][tabindex='0']").count() == 1


def test_a_case_shows_rule_numbers_and_distance(visit: Open, small: str) -> None:
    page = visit(f"{small}#{CASE}")
    main = page.locator("main")
    for text in (
        "✗ fail",
        "Clause E1",
        "operand 1",
        "upstream cotangent",
        "axis=-1",
        "3 of 6 entries beyond",
    ):
        expect(main).to_contain_text(text)
    assert page.locator("td.out").all_inner_texts() == ["✗ 0.5", "✗ 0.125000000002", "✗ nan"]
    expect(page.locator(".strip")).to_have_attribute(
        "aria-label", "3 of 6 entries beyond the allowance; " + ("furthest out [1, 1] at inf × allowed")
    )
    assert page.locator(".card .checks li").count() == len(BACKENDS)


def test_a_case_says_whose_fault_it_is_and_has_a_line_per_diagnostic(visit: Open, small: str) -> None:
    page = visit(f"{small}#{CASE}")
    diagnosis = page.locator(".diagnostics")
    expect(diagnosis.locator("h2")).to_have_text("Diagnosis: engine wrong")
    assert diagnosis.locator("li").all_inner_texts() == [
        "complex step the reference's slope is -0.5 ± 1e-19 · agrees with the rule",
        "engine's differences the engine raised ValueError beside the case · does not decide",
    ]
    go(page, "/case/slate/op/tanh/vjp/float64")
    expect(page.locator(".diagnostics")).to_have_count(0)


def test_a_case_says_what_its_allowance_is_made_of(visit: Open, small: str) -> None:
    said = "Allowed there: 3 times the 9e-13 by which rounding changes the textbook rule, and 1 ulp of 3e-13"
    page = visit(f"{small}#{CASE}")
    expect(page.locator("main")).to_contain_text(said)
    go(page, "/case/tape/op/norm/vjp/float64")  # one that says nothing of it
    expect(page.locator(".panel, main").first).not_to_contain_text("Allowed there")


def test_the_tabs_of_a_case_hold_script_command_and_record(visit: Open, small: str) -> None:
    page = visit(f"{small}#{CASE}")
    panel = page.get_by_role("tabpanel")
    expect(panel).to_contain_text("import slate")
    page.get_by_role("tab", name="Script").focus()
    page.keyboard.press("ArrowRight")
    expect(panel).to_contain_text("conformance replay c1:9f2e77aa --on slate")
    assert "tab=replay" in page.url
    again = visit(f"{small}#{CASE}?tab=raw")
    expect(again.get_by_role("tabpanel")).to_contain_text('"verdict": "fail"')
    expect(again.get_by_role("button", name="Copy", exact=True)).to_be_visible()


def test_the_atlas_shows_first_where_backends_differ_and_whether_each_holds_to_its_word(
    visit: Open, small: str
) -> None:
    page = visit(f"{small}#/atlas")
    rows = page.locator(".atlas tbody tr")
    assert rows.locator("th b").all_inner_texts() == ["A2", "float32", "abs at 0", "B3", "higher_order"]
    expect(rows.first).to_contain_text("≠ differ")
    expect(rows.first).to_contain_text("refused / summed")
    assert page.locator(".atlas .apart").all_inner_texts() == ["summed", "summed", "not declared"]
    expect(rows.nth(3)).to_contain_text("– not run")
    expect(rows.first.locator(".chip")).to_contain_text(["✓ pass", "✓ pass", "~ known", "✓ pass"])
    page.get_by_label("engines differ").check()
    expect(page.get_by_role("status")).to_have_text("2 rows; backends differ in 2 of 5")
    assert "differ=1" in page.url
    again = visit(page.url)
    expect(again.locator(".atlas tbody tr")).to_have_count(2)
    again.locator(".atlas .chip.known").click()
    expect(again.locator("h1")).to_have_text("A2 · non scalar backward is refused")


def test_arrow_keys_cross_the_atlas_over_cells_that_lead_nowhere(visit: Open, small: str) -> None:
    page = visit(f"{small}#/atlas")
    assert page.locator(".atlas a[tabindex='0']").count() == 1
    page.locator(".atlas a[tabindex='0']").focus()
    page.keyboard.press("ArrowRight")
    focused = "decodeURIComponent(document.activeElement.hash)"
    assert page.evaluate(focused).startswith("#/case/slate/contract/A2")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    assert page.evaluate(focused) == "#/case/slate/capability/higher-order"
    assert page.locator(".atlas a[tabindex='0']").count() == 1


def bars(page: Page, name: str) -> list[str]:
    return (
        page.locator(".multiples .card", has_text=name)
        .first.locator("li > span:last-child")
        .all_inner_texts()
    )


def test_entries_are_counted_by_error_over_allowance_for_each_backend_and_op(visit: Open, small: str) -> None:
    page = visit(f"{small}#/accuracy")
    assert page.locator(".multiples h3").all_inner_texts() == ["tape", "slate", "slate.jit", "mini"]
    assert page.locator(".multiples .card").first.locator("li").count() == 11
    expect(page.locator(".multiples .card").first).to_contain_text("Of 214 entries in 12 results.")
    page.get_by_role("combobox", name="op").select_option("tanh")
    expect(page.locator(".ulps tbody tr")).to_have_count(1)
    assert "op=tanh" in page.url
    assert bars(page, "tape") == ["7", "1", "0", "2", "4", "0", "3", "0", "0", "2", "0"]
    again = visit(page.url.replace("op=tanh", "op=atan2"))
    expect(again.get_by_role("combobox", name="op")).to_have_value("atan2")
    assert bars(again, "slate")[-1] == "3"
    expect(again.locator(".multiples .card").nth(1)).to_contain_text("✗ more")


def test_typical_and_worst_ulp_stand_by_op_and_lead_to_the_worst(visit: Open, small: str) -> None:
    page = visit(f"{small}#/accuracy?dtype=float32")
    row = page.locator(".ulps tbody tr", has_text="tanh")
    expect(row.locator("td").nth(1)).to_have_text("0.25 · 0.9")
    furthest = page.locator(".ulps tbody tr").first
    expect(furthest.locator("td").nth(2)).to_have_text("3.5 · inf")
    row.locator("td").nth(1).locator("a").click()
    main = page.locator("main")
    expect(main).to_contain_text("0.25 and 0.9 ulp")
    expect(main).to_contain_text("the gradient of operand 1 at [0, 2]")
    page.get_by_role("tab", name="Replay").click()
    expect(page.get_by_role("tabpanel")).to_contain_text("conformance replay tape/op/tanh/vjp/float32")


def test_a_run_file_of_before_entries_were_counted_still_shows_its_worst(visit: Open, spotless: str) -> None:
    page = visit(f"{spotless}#/accuracy")
    expect(page.locator("main")).to_contain_text("the run file is older than the counts of entries")
    expect(page.locator(".ulps tbody tr")).to_contain_text("0.5")


def test_a_wrong_gradient_has_a_reason_and_no_time(visit: Open, small: str) -> None:
    page = visit(f"{small}#/timing")
    assert page.locator("figure svg").count() == 3
    row = page.locator(".ratios tbody tr", has_text="chain").first
    expect(row).to_contain_text("– n/a the gradient is wrong at [0, 2]")
    expect(row).to_contain_text("1.9× [1.7, 2.2]")
    page.get_by_label("what").select_option("forward")
    expect(page.locator(".ratios")).not_to_contain_text("n/a")
    assert "what=forward" in page.url


def test_about_lists_what_was_left_out_what_survived_and_what_was_proven(visit: Open, small: str) -> None:
    main = visit(f"{small}#/about").locator("main")
    for text in ("mini knows float64 alone", "✗ survived", "2 of 3", "extended precision", "Linux 6.1"):
        expect(main).to_contain_text(text)


def test_the_dark_page_is_dark_and_holds_the_same(visit: Open, small: str) -> None:
    colour = "getComputedStyle(document.body).backgroundColor"
    light, dark = visit(small), visit(small, dark=True)
    assert light.evaluate(colour) != dark.evaluate(colour)
    for view in VIEWS:
        go(light, view)
        go(dark, view)
        assert light.locator("main").inner_text() == dark.locator("main").inner_text()


def test_the_atlas_shows_special_points_with_what_was_found_and_whether_it_is_fair(
    visit: Open, tmp_path: Path
) -> None:
    run = small_run()
    for backend, found, standing in (
        ("tape", "zero", "fair"),
        ("slate", "nan", "unfair"),
        ("mini", "zero", "fair"),
    ):
        cell = AtlasCell(found, standing, among=("zero", "right"))
        line = result(backend, "hypot/at-0", "kink", kind="point", clause="E12", dtype="float64")
        run.results.append(structs.replace(line, atlas=cell))
    path = tmp_path / "points.html"
    path.write_text(render([run]), encoding="utf-8")
    page = visit(f"{path.as_uri()}#/atlas?differ=1")
    row = page.locator(".atlas tbody tr", has_text="hypot/at-0")
    expect(row).to_contain_text("≠ differ")
    expect(row).to_contain_text("kink · zero / right")
    assert row.locator(".apart").all_inner_texts() == ["nan"]
    expect(row.locator("td").nth(1)).to_contain_text("✗ not fair")
