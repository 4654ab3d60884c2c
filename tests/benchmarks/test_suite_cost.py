"""Does the benchmark of the suite count what it says, and tell the parts apart?"""

from __future__ import annotations

import json

import pytest

from tests.benchmarks import suite_cost

pytestmark = pytest.mark.costly

RUN = "/x/conformance/run/execute.py"


@pytest.mark.parametrize(
    ("files", "part"),
    [
        (["/x/conformance/ops/rows.py", "/x/conformance/oracle/allowance.py", RUN], "oracle"),
        (["/x/conformance/ops/rows.py", "/x/conformance_backends/torch_backend.py", RUN], "engine"),
        (["/x/conformance/design/cover.py", "/x/conformance/strategies/cases.py", RUN], "generation"),
        (["/x/conformance/checks/comparison.py", RUN], "own"),
        (["/x/conformance/oracle/allowance.py", "/x/else.py"], ""),
    ],
)
def test_a_stack_belongs_to_the_part_that_was_called(files: list[str], part: str) -> None:
    assert suite_cost.part_of(files) == part


def test_an_op_is_asked_and_given_to_the_testers(monkeypatch: pytest.MonkeyPatch) -> None:
    from conformance_backends.numpy_backend import NumpyTape

    monkeypatch.setattr(NumpyTape, "testers", {"accepts all": lambda function, operands: True})
    found = suite_cost.measured("numpy", ["tanh"], 1)
    asked = found["asked"]
    assert asked["accepts all"] == asked["cases"] > 0
    assert asked[suite_cost.FIRST] == asked[suite_cost.AGAIN] > asked["cases"]
    found |= {"ops": 1}
    whole = {
        "machine": "m", "every": 1, "rounds": 1, "backends": [found], "start-up": {"--help": 0.5}, "-n 2 over -n 1": 1.5
    }  # fmt: skip
    text = suite_cost.table(json.loads(json.dumps(whole)))
    assert "accepts all" in text
    assert "-n 2 ends 1.50 times as soon" in text
