"""No literal op name in the core: outside the catalogue and the special points, ops are named by constants."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import conformance
from conformance.ops import ALL_OPS

CORE = Path(conformance.__file__).parent
NAMES = {name for op in ALL_OPS.values() for name in (op.name, *op.aliases)}

# Words that are op names elsewhere, by the module that uses them for something else.
ALLOWED: dict[str, dict[str, str]] = {
    "checks/a_results/cotangents.py": {"linear": "the name of a check"},
    "checks/d_mutation/duplicate_indices.py": {"gather": "the name of a check"},
    "checks/e_values/reductions.py": dict.fromkeys(("sum", "mean"), "a value of the parameter `reduction`"),
    "clauses/a_results.py": {"cast": "the name of a convention"},
    "cli/atlas.py": {"where": "the heading of a column"},
    "cli/console.py": {"fold": "how rich breaks lines", "real": "English"},
    "cli/pages/explain_point.py": {"any": "English"},
    "cli/selftest.py": {"power": "the name of a flag"},
    "diagnosis/step.py": {"where": "the name of a variable of checks"},
    "oracle/allowance.py": {"round": "the name of a texture"},
    "oracle/summation.py": {"where": "a parameter of NumPy's sums"},
    "returned.py": {"trace": "the name of a member of the protocol"},
    "runfile/records.py": {"where": "the name of a field"},
    "strategies/wide_programs.py": {"round": "the name of a texture"},
    "timing/classics.py": {"lstm": "the name of a workload"},
    "timing/threads.py": {"any": "English"},
    "timing/workloads.py": {"linear": "the name of a workload"},
    "values/__init__.py": {"round": "the name of a texture"},
}
MODULES = [
    path.relative_to(CORE).as_posix()
    for path in sorted(CORE.rglob("*.py"))
    if path.relative_to(CORE).parts[0] not in ("ops", "points")
]


def literals(source: str) -> Iterator[tuple[int, str]]:
    """Every string literal that is an op's name or alias, with its line."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value in NAMES:
            yield node.lineno, node.value


@pytest.mark.parametrize("module", MODULES)
def test_no_literal_op_name_in_the_core(module: str) -> None:
    found = literals((CORE / module).read_text())
    assert [f"{module}:{line} {word}" for line, word in found if word not in ALLOWED.get(module, {})] == []


def test_a_literal_op_name_is_found() -> None:
    assert list(literals('x = 1\ny = engine.op("matmul")\nz = "power", f"{x} tanh"')) == [
        (2, "matmul"),
        (3, "power"),
    ]


def test_every_allowed_module_exists() -> None:
    assert set(ALLOWED) - set(MODULES) == set()


@pytest.mark.parametrize("module", ALLOWED)
def test_every_allowed_word_is_used(module: str) -> None:
    used = {word for _, word in literals((CORE / module).read_text(encoding="utf-8"))}
    assert set(ALLOWED[module]) - used == set()
