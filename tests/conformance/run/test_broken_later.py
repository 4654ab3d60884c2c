"""An adapter that is not what it was, or not in each process the same, is the adapter's fault, and costs no answer."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.costly

MICROGRAD = Path(__file__).parents[3] / "examples" / "micrograd_adapter.py"
# The op ends the process once its file can be loaded no more.
BREAKS = """import os

def breaks(x, y):
    open(__file__, "w").write("syntax error here (")
    os._exit(3)

class Micrograd"""


def test_an_adapter_that_breaks_during_a_run_is_no_defect_of_the_suite(command: Any, tmp_path: Path) -> None:
    text = MICROGRAD.read_text().replace("class Micrograd", BREAKS, 1)
    (tmp_path / "mine.py").write_text(text.replace('"add": lambda x, y: x + y', '"add": breaks'))
    add, tanh, last = (f"op/{name}/float64" for name in ("add/vjp", "tanh/vjp", "add/shape"))
    done = command("run", "mine.py", "-q", add, "-q", tanh, "-q", last, "-n", 1)
    assert done.code == 11, done.said
    assert "in a worker, the adapter mine.py could not start: SyntaxError" in done.said
    assert "Traceback" not in done.said
    assert "time did not suffice" not in done.said
    verdicts = {name.removeprefix("micrograd/"): verdict for name, verdict in done.verdicts.items()}
    assert verdicts == {add: "crash", tanh: "pass"}


def test_an_adapter_whose_name_differs_in_each_process_is_the_adapters_fault(
    command: Any, tmp_path: Path
) -> None:
    text = MICROGRAD.read_text().replace("class Micrograd", "import os\n\nclass Micrograd", 1)
    (tmp_path / "mine.py").write_text(
        text.replace("name = engine =", 'name = f"m{os.getpid()}"\n    engine =')
    )
    done = command("run", "mine.py", "-q", "op/add/vjp/float64", "-n", 1)
    assert done.code == 11, done.said
    assert re.search(
        r"in a worker, the adapter's name is m\d+, and was m\d+ when it was described", done.said
    )
