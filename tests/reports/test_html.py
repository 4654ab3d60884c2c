"""Is the file what it promises before any browser opens it?"""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import re

from conformance_reports.html import PARTS, render

from .synthetic import hostile_run, large_run, small_run


def embedded(text: str) -> dict[str, object]:
    packed = re.search(r'<script type="application/octet-stream" id="data">([^<]*)</script>', text)
    assert packed is not None
    held: dict[str, object] = json.loads(gzip.decompress(base64.b64decode(packed[1])))
    return held


def test_the_page_holds_the_whole_run() -> None:
    run = small_run()
    held = embedded(render([run]))
    assert [line["id"] for line in held["results"]] == [line.id for line in run.results]  # type: ignore[attr-defined]
    assert held["counts"] == run.counts()
    assert "specification" in held


def test_the_policy_names_the_digest_of_the_only_script() -> None:
    text = render([small_run()])
    scripts = re.findall(r"<script>(.*?)</script>", text, re.DOTALL)
    assert len(scripts) == 1
    digest = base64.b64encode(hashlib.sha256(scripts[0].encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in text


def test_the_page_refers_to_nothing_outside() -> None:
    text = render([small_run()])
    assert not re.search(r"(?:src|href)=[\"']?(?:https?:)?//", text)
    assert "@import" not in text
    assert "innerHTML" not in text


def test_the_same_runs_make_the_same_file() -> None:
    assert render([small_run()]) == render([small_run()])


def test_hostile_text_is_escaped_in_the_shell() -> None:
    text = render([hostile_run()])
    assert text.count("<script") == 2
    assert "<img" not in text


def test_ten_thousand_results_stay_small() -> None:
    assert len(render([large_run(10_000)])) < 1_000_000


def test_each_part_of_the_script_stands_once() -> None:
    assert len(set(PARTS)) == len(PARTS)
