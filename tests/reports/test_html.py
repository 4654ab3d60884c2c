"""Is the file what it promises before any browser opens it?"""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import re
from typing import Any

from conformance_reports.html import PARTS, render

from conformance.runfile.severity import is_failure

from .synthetic import hostile_run, large_run, small_run


def embedded(text: str, name: str = "data") -> dict[str, Any]:
    packed = re.search(rf'<script type="application/octet-stream" id="{name}">([^<]*)</script>', text)
    assert packed is not None
    held: dict[str, Any] = json.loads(gzip.decompress(base64.b64decode(packed[1])))
    return held


def test_the_page_holds_the_whole_run() -> None:
    run = small_run()
    text = render([run])
    held, details = embedded(text), embedded(text, "details")
    columns = held["columns"]
    verdicts = [columns["verdict"]["values"][code] for code in columns["verdict"]["codes"]]
    assert verdicts == [line.verdict.value for line in run.results]
    assert columns["cases"] == [line.cases for line in run.results]
    assert held["counts"] == run.counts()
    assert "specification" in held
    failures = [number for number, line in enumerate(run.results) if is_failure(line)]
    assert sorted(number for cause in held["causes"] for number in cause["results"]) == failures
    assert {int(number) for number in details["evidence"]} >= set(failures)


def test_evidence_of_very_many_alike_failures_is_kept_once_and_named() -> None:
    text = render([large_run(10_000)])
    details = embedded(text, "details")
    assert len(details["evidence"]) < 1000
    assert {str(number) for number in details["alike"].values()} <= details["evidence"].keys()


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
    assert text.count("<script") == 3
    assert "<img" not in text


def test_ten_thousand_results_stay_small() -> None:
    assert len(render([large_run(10_000)])) < 1_000_000


def test_each_part_of_the_script_stands_once() -> None:
    assert len(set(PARTS)) == len(PARTS)
