"""Does every view have the filters that make sense in it, kept in its address, and does it show all that it counts?"""

from __future__ import annotations

from pathlib import Path

import pytest
from conformance_reports.html import render
from playwright.sync_api import Page, expect

from conformance.runfile.atlas_cell import AtlasCell
from conformance.runfile.jsonl import Run
from conformance.runfile.records import Verdict

from .conftest import Open
from .synthetic import header, result, small_run

MANY = ("numpy", "torch", "torch.func", "autograd", "mygrad", "jax", "jax.jit")


@pytest.mark.parametrize("view", ["matrix", "atlas", "accuracy", "timing"])
def test_the_columns_of_one_engine_are_a_filter(visit: Open, small: str, view: str) -> None:
    page = visit(f"{small}#/{view}")
    tables = page.locator(
        f"main table:is(.matrix, .{'ulps' if view == 'accuracy' else 'ratios, .atlas'}) thead"
    )
    expect(tables).to_contain_text("tape")
    page.get_by_role("combobox", name="engine", exact=True).select_option("slate")
    for shown in (page, visit(page.url)):
        heads = shown.locator("main table thead").last
        expect(heads).to_contain_text("slate.jit")
        expect(heads).not_to_contain_text("mini")
        expect(heads).not_to_contain_text("tape")
        assert "engine=slate" in shown.url


def test_the_matrix_is_narrowed_by_kind_and_clause_and_counts_what_is_left(visit: Open, small: str) -> None:
    page = visit(f"{small}#/matrix")
    page.get_by_role("combobox", name="clause", exact=True).select_option("E1")
    page.get_by_role("combobox", name="kind of check").select_option("op")
    assert "clause=E1" in page.url
    assert "about=op" in page.url
    cell = page.locator("a[data-cell='op/atan2|slate']")
    expect(cell).to_contain_text("0/2")
    cell.click()
    counts = page.locator(".panel p", has_text="judged passed").locator("a")
    for link in counts.all():
        shown = link.inner_text()
        other = visit(small + str(link.get_attribute("href")))
        expect(other.get_by_role("status")).to_contain_text(f"{shown} result")


def clipped(page: Page) -> list[str]:
    return page.evaluate(
        """() => [...document.querySelectorAll(".matrix .cell, .matrix thead th")]
            .filter((x) => x.scrollWidth > x.clientWidth || (x.tagName === "TH" && x.clientHeight > 40))
            .map((x) => x.innerText)"""
    )


@pytest.mark.parametrize("by", ["subject", "clause"])
def test_no_cell_of_seven_backends_is_cut_off(visit: Open, tmp_path: Path, by: str) -> None:
    lines = [
        result(backend, "tanh", "vjp", dtype=f"d{n}", verdict=Verdict.KNOWN if n else Verdict.PASS)
        for backend in MANY[:5]
        for n in range(400)
    ]
    lines += [result(backend, "tanh", "vjp", verdict=Verdict.UNSUPPORTED) for backend in MANY[5:]]
    (tmp_path / "many.html").write_text(
        render([Run(header(backends=MANY), lines, [], [], [], small_run().end)]), encoding="utf-8"
    )
    page = visit(f"{(tmp_path / 'many.html').as_uri()}#/matrix?by={by}")
    for width in (1280, 900, 390):
        page.set_viewport_size({"width": width, "height": 860})
        assert clipped(page) == []


def test_every_row_of_the_matrix_is_as_high_as_scrolling_expects(visit: Open, tmp_path: Path) -> None:
    lines = [
        result(backend, clause, "held", kind="contract", clause=clause, dtype="", id=f"{backend}/contract/{clause}")
        for backend in MANY
        for clause in ("A1", "A4", "C5")  # of a line, of three, of four
    ]  # fmt: skip
    path = tmp_path / "long.html"
    path.write_text(render([Run(header(backends=MANY), lines, [], [], [], None)]), encoding="utf-8")
    for view in ("matrix?by=clause", "matrix"):
        page = visit(f"{path.as_uri()}#/{view}")
        rows = page.locator(".matrix tbody tr:not(.spacer, .heading)").all()
        assert [row.evaluate("row => row.offsetHeight") for row in rows] == [36, 36, 36]


def test_what_two_engines_do_as_a_whole_comes_first_and_all_ops_can_be_shown(
    visit: Open, tmp_path: Path
) -> None:
    run = small_run()
    run.results = [
        result(
            backend, f"op{n:03}/kink", "kink", kind="point", atlas=AtlasCell(found, "fair"), id=f"{backend}/point/{n}"
        )
        for backend, found in (("tape", "zero"), ("slate", "one"))
        for n in range(130)
    ]  # fmt: skip
    (tmp_path / "apart.html").write_text(render([run]), encoding="utf-8")
    page = visit(f"{(tmp_path / 'apart.html').as_uri()}#/differ?a=tape&b=slate")
    headings = page.locator(".differences h3")
    expect(headings.first).to_have_text("the engine as a whole")
    expect(page.locator(".differences section").first).to_contain_text("tape: refused; slate: summed.")
    expect(headings).to_have_count(100)
    page.get_by_role("button", name="Show all 131 ops").click()
    expect(headings).to_have_count(131)
    expect(visit(page.url).locator(".differences h3")).to_have_count(131)


def test_the_words_have_room_on_a_phone(visit: Open, small: str) -> None:
    page = visit(f"{small}#/glossary", width=390)
    for meaning in page.locator(".words dd").all()[:5]:
        box = meaning.bounding_box()
        assert box is not None
        assert box["width"] > 300


def test_a_special_point_that_changed_is_shown_before_and_after(visit: Open, tmp_path: Path) -> None:
    cells = {
        "abs": (AtlasCell("zero", "fair"), AtlasCell("nan", "unfair")),
        "sqrt": (AtlasCell("nan", "fair"), AtlasCell("nan", "unfair")),
        "sign": (AtlasCell("zero", "fair"), AtlasCell("zero", "fair")),
    }
    empty = small_run()
    before, now = (
        Run(
            empty.header,
            [
                result("tape", f"{op}/at-0", "kink", kind="point", atlas=pair[at], id=f"tape/point/{op}")
                for op, pair in cells.items()
            ],
            [], [], [], empty.end,
        )
        for at in (0, 1)
    )  # fmt: skip
    (tmp_path / "now.html").write_text(render([now], [before]), encoding="utf-8")
    page = visit(f"{(tmp_path / 'now.html').as_uri()}#/compare")
    expect(page.locator(".found")).to_contain_text("no regression")
    expect(page.locator(".comparison h2")).to_have_text(["atlas value changed (2)"])
    changed = page.locator(".comparison")
    expect(changed).to_contain_text("pass, zero → pass, nan")
    expect(changed).to_contain_text('pass, nan, standing "fair" → pass, nan, standing "unfair"')
    expect(changed).not_to_contain_text("sign")


def test_the_panel_of_a_cell_begins_with_what_fails(visit: Open, tmp_path: Path) -> None:
    fates = {"a": Verdict.PASS, "b": Verdict.UNSUPPORTED, "c": Verdict.KNOWN, "d": Verdict.FAIL}
    lines = [result("tape", "tanh", check, verdict=verdict) for check, verdict in fates.items()]
    path = tmp_path / "four.html"
    path.write_text(render([Run(small_run().header, lines, [], [], [], None)]), encoding="utf-8")
    page = visit(f"{path.as_uri()}#/matrix?cell=op%2Ftanh%7Ctape")
    expect(page.locator(".panel .checks b")).to_have_text(["d", "c", "b", "a"])


def test_the_atlas_of_seven_backends_fits_beside_its_rows(visit: Open, tmp_path: Path) -> None:
    cell = AtlasCell("undocumented_subdifferential_of_composition", "fair")
    measured = [
        result(backend, "abs/at-0", "kink", kind="point", atlas=cell, id=f"{backend}/point/0")
        for backend in MANY
    ]
    path = tmp_path / "seven.html"
    path.write_text(
        render([Run(header(backends=MANY), measured, [], [], [], None)]),
        encoding="utf-8",
    )
    page = visit(f"{path.as_uri()}#/atlas")
    last = page.locator(".atlas thead th").last.bounding_box()
    assert last is not None
    assert last["x"] + last["width"] <= 1280
