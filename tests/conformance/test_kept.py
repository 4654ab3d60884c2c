"""What depends on no engine is kept from run to run: the same bits, whoever computed them, and nothing that is not to be trusted."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from conformance import kept
from conformance.case import Case
from conformance.design import Effort, signatures_of
from conformance.design import signatures as design
from conformance.op import Op
from conformance.ops import ALL_OPS, CATALOGUE, FAMILIES, find
from conformance.oracle.allowance import Expected, expected_gradients, expected_values
from conformance.strategies import draw_cases

pytestmark = pytest.mark.costly

EFFORT = Effort(4, 2, 1, 1)
NAMES = ("tanh", "matmul", "split", "cholesky", "getitem", "clip", "conj")
REMEMBERED = (expected_gradients, expected_values, design._whole, design._compact)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "folder" / "shelf"


def forget() -> None:
    """As in a new process."""
    for function in REMEMBERED:
        function.cache_clear()  # type: ignore[attr-defined]


def cases_of(name: str) -> list[Case]:
    dtypes = ("complex128",) if name == "conj" else ("float64", "float16")
    return [case for dtype in dtypes for case in draw_cases(find(name), dtype, 0, EFFORT)]


def bits(found: Sequence[Expected]) -> list[Any]:
    """All that is in some expectations; of extended precision without the padding."""
    parts = [(e.exact, e.allowed, e.ulp, e.spread, e.library, e.is_symmetric) for e in found]
    return [
        [(x.dtype, type(x), repr(x.tolist()), x.shape) if hasattr(x, "tolist") else x for x in part]
        for part in parts
    ]


def looked_up(path: Path, find_out: Callable[[], Any]) -> Any:
    """The result with a shelf, in a process that remembers nothing."""
    forget()
    with kept.opened(path):
        return find_out()


@pytest.mark.parametrize("name", NAMES)
def test_what_is_kept_has_the_same_bits(name: str, path: Path) -> None:
    def find_out() -> list[Any]:
        cases = cases_of(name)
        return [
            bits(function(find(name), c)) for c in cases for function in (expected_gradients, expected_values)
        ]

    forget()
    assert find_out() == looked_up(path, find_out) == looked_up(path, find_out)


def test_what_is_kept_is_not_computed_again(path: Path, monkeypatch: Any) -> None:
    def find_out() -> list[Any]:
        return [bits(expected_gradients(CATALOGUE["tanh"], case)) for case in cases_of("tanh")]

    first = looked_up(path, find_out)
    for module, name in (("oracle.allowance", "expect"), ("design.signatures", "_first_dtype")):
        monkeypatch.setattr(f"conformance.{module}.{name}", lambda *args, **named: pytest.fail("again"))
    assert looked_up(path, find_out) == first


def test_what_a_family_has_is_not_computed_again_for_another_op(path: Path, monkeypatch: Any) -> None:
    def keys(name: str) -> list[tuple[object, ...]]:
        return [row.key for row in design.signatures_of(find(name), "float64", 0, EFFORT)]

    alone = looked_up(path.with_name("alone"), lambda: keys("hfft"))
    looked_up(path, lambda: keys("fft"))
    monkeypatch.setattr(design, "Greedy", lambda *args, **named: pytest.fail("again"))
    assert looked_up(path.with_name("another"), lambda: keys("hfft")) == alone


def test_every_op_has_rows_and_expectations_that_can_be_kept(path: Path) -> None:
    for name, op in CATALOGUE.items():
        case = draw_cases(op, "float64", 0, Effort(1, 1, 1, 1))[0]
        assert kept._key(expected_gradients, (op, case), {"perturbations": 4}), name
    assert kept._key(design._whole, (op, "float64", 0, 2, 4), {})


def test_a_row_of_somebody_elses_is_not_taken_for_the_catalogues(path: Path) -> None:
    case = cases_of("tanh")[0]
    looked_up(path, lambda: expected_gradients(find("tanh"), case))
    doubled = replace(find("tanh"), rule=lambda i, g, z, x: 2 * g * (1 - z * z))
    (found,) = looked_up(path, lambda: expected_gradients(doubled, case))
    (right,) = expected_gradients(find("tanh"), case)
    assert np.allclose(found.exact.astype(float), 2 * right.exact.astype(float))


def changed(case: Case) -> dict[str, tuple[Op, Case, int]]:
    """A call of `sum` that differs from the first in one thing each."""
    op, (x,), (g,) = find("sum"), case.operands, case.cotangents
    return {
        "itself": (op, case, 4),
        "operands": (op, replace(case, operands=(x + 1,)), 4),
        "memory": (op, replace(case, operands=(np.asfortranarray(x),)), 4),
        "cotangents": (op, replace(case, cotangents=(g + 1,)), 4),
        "parameters": (op, replace(case, parameters={**case.parameters, "keepdims": True}), 4),
        "dtype": (op, replace(case, dtype="float32"), 4),
        "operands that need a gradient": (op, replace(case, wrt=(0,)), 4),
        "trials": (op, case, 64),
        "op": (find("mean"), case, 4),
    }


def test_whatever_decides_a_result_is_in_its_key() -> None:
    case = Case("sum", (np.ones((2, 3)),), {"axis": 0}, (np.ones(3),), ("C", "C"), "float64")
    calls = changed(case)
    keys = {
        kept._key(expected_gradients, (op, c), {"perturbations": n}): what
        for what, (op, c, n) in calls.items()
    }
    assert sorted(keys.values()) == sorted(calls)
    assert kept._key(expected_values, (find("sum"), case), {"perturbations": 4}) not in keys


@pytest.mark.parametrize(
    "spoil",
    [
        lambda whole: b"",
        lambda whole: whole[: len(whole) // 2],
        lambda whole: whole[:-9] + bytes(9),
        lambda whole: whole[:40] + b"x" + whole[41:],
        lambda whole: b"\x80\x04K\x01.",
    ],
    ids=["empty", "half", "its end", "one letter", "a pickle"],
)
def test_a_damaged_shelf_is_computed_again(path: Path, spoil: Callable[[bytes], bytes]) -> None:
    def find_out() -> list[Any]:
        return [bits(expected_gradients(find("tanh"), case)) for case in cases_of("tanh")]

    first = looked_up(path, find_out)
    whole = path.read_bytes()
    path.write_bytes(spoil(whole))
    assert looked_up(path, find_out) == first
    assert len(kept._read(path)) > 1


def test_a_shelf_that_cannot_be_written_is_no_error(path: Path) -> None:
    path.parent.write_text("a file")
    assert looked_up(path, lambda: signatures_of(find("tanh"), "float64", 0, EFFORT))


def test_what_was_computed_with_replaced_functions_is_not_kept(path: Path) -> None:
    def find_out() -> None:
        expected_gradients(find("tanh"), cases_of("tanh")[0])
        kept.distrust()

    looked_up(path, find_out)
    assert not path.exists()


def _filled(path: Path, name: str) -> int:
    return len(looked_up(path, lambda: [expected_gradients(find(name), case) for case in cases_of(name)]))


def test_two_processes_that_write_at_once_leave_one_whole_shelf(path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    with context.Pool(2) as pool:
        assert pool.starmap(_filled, [(path, "tanh"), (path, "exp")] * 3)
    assert kept._read(path)
    own, *shared = sorted((file.name for file in path.parent.iterdir()), key=lambda name: name != path.name)
    assert own == path.name
    assert [name for name in shared if "." in name or not name.startswith("shared-")] == []  # no drafts


ENGINE = """
import numpy as np
from conformance_backends.numpy_backend import NumpyTape

class Spoiling(NumpyTape):
    def trace(self, *args, **named):
        {}
        return super().trace(*args, **named)
"""


SPOILING = {
    "replaces functions": ("np.cosh = lambda x: 0 * x", 1),
    "flushes small numbers": ("__import__('torch').set_flush_denormal(True)", 0),
}


@pytest.mark.parametrize("how", SPOILING)
def test_a_run_keeps_what_is_expected_but_not_beside_an_engine_that_spoils_it(
    how: str, command: Any, tmp_path: Path
) -> None:
    spoil, code = SPOILING[how]
    (tmp_path / "spoiling.py").write_text(ENGINE.format(spoil))
    places = {"XDG_CACHE_HOME": str(tmp_path / "cache")}
    asked = ("-q", "op/exp/vjp/float64", "-n", 1, "--force")
    shelves = tmp_path / "cache" / "autograd-conformance" / "expected"
    assert command("run", tmp_path / "spoiling.py", *asked, **places).code == code
    assert not shelves.exists()
    assert command("run", "numpy", *asked, "--no-cache", **places).code == 0
    assert not shelves.exists()
    assert command("run", "numpy", *asked, **places).code == 0
    shared, of_the_scope = (
        [
            file
            for file in shelves.rglob("*")
            if file.is_file() and file.name.startswith("shared-") is is_shared
        ]
        for is_shared in (True, False)
    )
    family = next(rows for rows in FAMILIES.values() if ALL_OPS["exp"] in rows)
    # What the family was chosen, and of each op its levels and which of its rows leave nothing.
    assert len(shared) == 1 + 2 * len(family)
    assert len(of_the_scope) == 1
