"""Runs drawn by Hypothesis, for the properties of reading, merging and comparing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st

from conformance.runfile.atlas_cell import AtlasCell
from conformance.runfile.jsonl import SCHEMA, Run
from conformance.runfile.records import (
    BackendLine,
    EndLine,
    Evidence,
    ResultLine,
    RunLine,
    SpecLine,
    Verdict,
    counts_of,
)

MESSAGES = [
    "",
    "the gradient of operand 0 differs",
    "the gradient of operand 0 differs by 3e-05",
    "ValueError: no",
]
HEADER = RunLine(
    SCHEMA, "r1", "2026-01-01T00:00:00+00:00", "quick", 0, SpecLine("0", "d"), {}, (BackendLine("mine", "mine", "1"),)
)  # fmt: skip


# What a failure can look like: numbers that lost digits, that are wrong, that are none; a list's entry or another.
EVIDENCE: list[dict[str, Any]] = [
    {},
    {"expected": [1.0, 2.0], "got": [1.0, 2.0 + 1e-12], "where": "[1]"},
    {"expected": [1.0, 2.0], "got": [1.0, 5.0], "where": "[1]", "reason": "listed"},
    {"expected": "1+2j", "got": "1+2.0000000001j", "reason": "listed otherwise"},
    {"expected": ["inf"], "got": ["nan"], "where": "[0]", "failed_as": "fail"},
    {"failed_as": "error", "reason": "listed"},
]


def line(
    name: str, verdict: Verdict, message: str = "", found: str = "", more: dict[str, Any] | None = None
) -> ResultLine:
    evidence = Evidence(message=message, **(more or {})) if message or more else None
    atlas = AtlasCell(found, "fair") if found else None
    return ResultLine(
        f"mine/op/{name}/vjp/float64", "mine", "op", name, "vjp", "E1", "must", "float64", verdict, 1, 0.0,
        evidence=evidence, atlas=atlas,
    )  # fmt: skip


def run_of(results: Sequence[ResultLine], header: RunLine = HEADER) -> Run:
    return Run(header, list(results), [], [], [], EndLine(True, counts_of(results)))


names = st.sampled_from([f"f{i}" for i in range(12)])
lines = st.builds(
    line, names, st.sampled_from(Verdict), st.sampled_from(MESSAGES), st.sampled_from(["", "zero", "one"]),
    st.sampled_from(EVIDENCE),
)  # fmt: skip
result_lists = st.lists(lines, max_size=12, unique_by=lambda result: result.id)
runs = result_lists.map(run_of)
