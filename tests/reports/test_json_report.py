"""Does the JSON report hold the run?"""

from __future__ import annotations

import json

import msgspec
from conformance_reports.json_report import render

from conformance.runfile.records import ResultLine, TimingLine

from .synthetic import hostile_run, small_run


def test_the_document_holds_every_line() -> None:
    run = small_run()
    document = json.loads(render([run]))
    assert document["complete"] is True
    assert document["counts"] == run.counts()
    assert msgspec.convert(document["results"], list[ResultLine]) == run.results
    assert msgspec.convert(document["timings"], list[TimingLine]) == run.timings
    assert document["run"]["seed"] == 7


def test_hostile_text_comes_back_as_it_was() -> None:
    run = hostile_run()
    assert msgspec.convert(json.loads(render([run]))["results"], list[ResultLine]) == run.results
