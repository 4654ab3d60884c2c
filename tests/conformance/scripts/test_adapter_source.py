"""A script quotes the adapter's `ops`, not other dictionaries of its module."""

from __future__ import annotations

import ast
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from conformance.backend import Backend
from conformance.load import absence, load_backend
from conformance.scripts.adapter_source import call_text, expression_of
from conformance.scripts.helpers import carried, missing_in, undefined_in
from conformance.scripts.script import script_of

ADAPTER = """
import functools
import numpy as np
from conformance_backends.numpy_backend import NumpyTape

LABELS = {"exp": "an exponential", "tanh": lambda x: "a label"}
ROWS = {"exp": np.exp, "tanh": lambda x: np.tanh(x)}
LATER_LABELS = {"exp": 1, "tanh": lambda x: "another label"}

def counted(function):
    return functools.wraps(function)(lambda *operands: function(*operands))

class Other(NumpyTape):
    ops = {"exp": lambda x: np.exp2(x)}

class Mine(NumpyTape):
    conventions = {"exp": "none"}
    ops = {**NumpyTape.ops, **ROWS, "sin": lambda x: np.sin(x), "log": counted(np.log)}

class Wrapped(Mine):
    ops = {name: counted(op) for name, op in ROWS.items()}

class Replaced(Mine):
    ops = {**Mine.ops, "exp": eval("lambda x: x")}
"""


@pytest.fixture
def adapter(tmp_path: Path) -> ModuleType:
    (tmp_path / "mine.py").write_text(ADAPTER)
    return sys.modules[type(load_backend(f"{tmp_path / 'mine.py'}:Mine")).__module__]


def quoted(backend: Backend, name: str) -> str | None:
    expression = expression_of(backend, name)
    return None if expression is None else ast.unparse(expression)


def test_dictionaries_that_are_not_of_the_ops_are_not_quoted(adapter: ModuleType) -> None:
    assert quoted(adapter.Mine(), "exp") == "np.exp"
    assert quoted(adapter.Mine(), "tanh") == "lambda x: np.tanh(x)"


def test_entries_in_the_body_of_the_class_are_quoted(adapter: ModuleType) -> None:
    assert quoted(adapter.Mine(), "sin") == "lambda x: np.sin(x)"
    assert quoted(adapter.Mine(), "log") == "counted(np.log)"


def test_a_wrapped_op_is_quoted_without_its_wrapper(adapter: ModuleType) -> None:
    assert quoted(adapter.Wrapped(), "tanh") == "lambda x: np.tanh(x)"


def test_the_entry_of_an_op_that_a_subclass_replaces_is_not_quoted(adapter: ModuleType) -> None:
    assert quoted(adapter.Replaced(), "exp") == "eval('lambda x: x')"
    assert quoted(adapter.Replaced(), "tanh") == "lambda x: np.tanh(x)"


ENGINE = """
import numpy as np

def sin(x):
    return np.sin(x)
"""

OPS = """
import itertools
import os
from math import prod, tau as turn

import numpy as np
from conformance.errors import Unsupported

def scaled(x):
    return 2 * x

def turned(x, shape):
    if list(itertools.pairwise(shape)):
        raise Unsupported("two axes")
    return np.reshape(x, prod(shape)) * turn

OPS = {"exp": lambda x: np.exp(x), "tanh": scaled}
"""

BESIDE = """
import tiny_engine
from tiny_ops import OPS
from conformance_backends.numpy_backend import NumpyTape

class Mine(NumpyTape):
    ops = {**OPS, "sin": tiny_engine.sin}
"""


def test_lambdas_and_functions_of_a_file_beside_the_adapter_are_quoted(tmp_path: Path) -> None:
    for name, text in {"tiny_engine": ENGINE, "tiny_ops": OPS, "tiny": BESIDE}.items():
        (tmp_path / f"{name}.py").write_text(text)
    backend = load_backend(str(tmp_path / "tiny.py"))
    assert quoted(backend, "exp") == "lambda x: np.exp(x)"
    assert carried(backend, "y = scaled(x)", "")[1] == "def scaled(x):\n    return 2 * x"
    assert not carried(backend, "y = sin(x)", "")[1]  # the engine's own, which it imports


def test_what_a_function_of_the_adapter_uses_is_imported(tmp_path: Path) -> None:
    for name, text in {"tiny_engine": ENGINE, "small_ops": OPS}.items():
        (tmp_path / f"{name}.py").write_text(text)
    (tmp_path / "small.py").write_text(BESIDE.replace("tiny_ops", "small_ops"))
    backend = load_backend(str(tmp_path / "small.py"))
    lines = carried(backend, "y = turned(x, (2,))", "import numpy as np")[0].splitlines()
    assert set(lines) == {"from math import prod", "from math import tau as turn", "import itertools"}


def test_a_refusal_by_the_adapter_is_pythons_own_in_a_script(tmp_path: Path) -> None:
    for name, text in {"tiny_engine": ENGINE, "refusing_ops": OPS}.items():
        (tmp_path / f"{name}.py").write_text(text)
    (tmp_path / "refusing.py").write_text(BESIDE.replace("tiny_ops", "refusing_ops"))
    backend = load_backend(str(tmp_path / "refusing.py"))
    function = carried(backend, "y = turned(x, (2,))", "")[1]
    assert "raise NotImplementedError('two axes')" in function
    assert "Unsupported" not in function
    assert not carried(backend, "y = scaled(x)", "import numpy as np")[0]


CONSTANTS = """
import numpy as np
from conformance_backends.numpy_backend import NumpyTape

MODES = {1: "linear", 2: "bilinear"}
OTHERS = {"exp": np.exp}

def resized(x):
    return np.resize(x, len(MODES[x.ndim]))

class Constant(NumpyTape):
    ops = {"exp": lambda x: resized(x)}
"""


def test_a_constant_that_a_function_of_the_adapter_uses_is_written_out(tmp_path: Path) -> None:
    (tmp_path / "constant.py").write_text(CONSTANTS)
    backend = load_backend(str(tmp_path / "constant.py"))
    helpers = carried(backend, "y = resized(x)", "")[1]
    assert "MODES = {1: 'linear', 2: 'bilinear'}" in helpers
    assert "OTHERS" not in helpers


ALIASES = """
import numpy as np
from conformance_backends.numpy_backend import NumpyTape

la = np.linalg
made = np.zeros(1).shape

class Aliased(NumpyTape):
    ops = {"det": lambda x: la.det(x), "exp": lambda x: np.exp(x, made)}
"""


def test_an_attribute_that_the_adapter_gives_a_name_is_written_out_with_its_import(tmp_path: Path) -> None:
    (tmp_path / "aliased.py").write_text(ALIASES)
    backend = load_backend(str(tmp_path / "aliased.py"))
    assert carried(backend, "y = la.det(x)", "") == ("import numpy as np", "la = np.linalg")
    assert carried(backend, "y = np.exp(x, made)", "")[1] == "made = np.zeros(1).shape"


COLLECTED = """
import numpy as np
from dataclasses import replace
from conformance_backends.numpy_backend import NumpyTape

class Collected(NumpyTape):
    ops = {name: getattr(np, name) for name in ("exp", "multiply", "abs")} | dict(tanh=eval("lambda x: x"))
    dialect = replace(NumpyTape.dialect, imports="import numpy as np", call="")
"""


def test_an_op_that_no_table_spells_is_called_where_the_script_imports_it_from(tmp_path: Path) -> None:
    (tmp_path / "collected.py").write_text(COLLECTED)
    backend = load_backend(str(tmp_path / "collected.py"))
    assert call_text(backend, "multiply", ["x0", "x1"], {}) == "np.multiply(x0, x1)"
    assert call_text(backend, "abs", ["x0"], {}) == "np.abs(x0)"  # not Python's own
    assert call_text(backend, "tanh", ["x0"], {}) == "tanh(x0)"


SPELT_OUT = """
import numpy as np
from conformance_backends.numpy_backend import NumpyTape

def named(name):
    return getattr(np, name)

N, find = np, named
HALF = 0.5 * np.ones(1)
OPS = {"tanh": lambda x: find("tanh")(x), "sin": lambda x: N.sin(x), "exp": lambda x: np.exp(x * GONE)}
OPS["cos"] = find("cos")
for kept in (1,):
    GONE = kept

class Spelt(NumpyTape):
    name = "spelt"
    ops = OPS
"""


def test_values_that_tables_name_are_carried_and_what_is_not_is_said(tmp_path: Path) -> None:
    (tmp_path / "spelt.py").write_text(SPELT_OUT)
    backend = load_backend(str(tmp_path / "spelt.py"))
    assert call_text(backend, "cos", ["x"], {}) == "find('cos')(x)"
    imports, helpers = carried(backend, "y = find('cos')(x) * HALF", "")
    assert imports == "import numpy as np"
    assert [line for line in helpers.splitlines() if line] == [
        "def named(name):",
        "    return getattr(np, name)",
        "find = named",
        "HALF = 0.5 * np.ones(1)",
    ]
    assert {op: undefined_in(backend, op) for op in ("tanh", "sin", "cos")} == {
        "tanh": set(), "sin": set(), "cos": set()
    }  # fmt: skip
    assert undefined_in(backend, "exp") == {"GONE"}


@pytest.mark.parametrize("name", ["numpy", "torch", "torch.inplace", "jax", "autograd", "mygrad"])
def test_scripts_of_our_adapters_define_what_they_name(name: str) -> None:
    if absence(name):
        pytest.skip(f"{name} is not installed")
    backend = load_backend(name)
    missing = {op: undefined_in(backend, op) for op in backend.ops}
    assert not {op: names for op, names in missing.items() if names}


DERIVED = """
from conformance_backends.torch_backend import TorchTape

class Mine(TorchTape):
    name = "mine"
"""


def test_an_adapter_that_is_derived_from_another_spells_its_ops_as_that_does(tmp_path: Path) -> None:
    """And carries the functions that those name."""
    (tmp_path / "derived.py").write_text(DERIVED)
    mine, torch = load_backend(f"{tmp_path / 'derived.py'}:Mine"), load_backend("torch")
    for name in ("negative", "sum", "linear"):
        assert ast.dump(expression_of(mine, name)) == ast.dump(expression_of(torch, name))  # type: ignore[arg-type]
    spelled = call_text(mine, "index_update", ["x", "v"], {"index": (0,)})
    assert spelled == call_text(torch, "index_update", ["x", "v"], {"index": (0,)})
    assert carried(mine, spelled, "import torch")[1] == carried(torch, spelled, "import torch")[1]
    assert not any(undefined_in(mine, name) for name in mine.ops)


MADE_OF_A_TABLE = """
from conformance_backends.numpy_backend import NumpyTape

RATE: float = 0.5
base = NumpyTape.ops["exp"]

def half(x):
    return base(x) * RATE

class Mine(NumpyTape):
    ops = {**NumpyTape.ops, "exp": half}
"""


def test_what_a_quoted_function_names_is_carried_or_the_script_says_where_it_is(tmp_path: Path) -> None:
    (tmp_path / "halved.py").write_text(MADE_OF_A_TABLE)
    backend = load_backend(f"{tmp_path / 'halved.py'}:Mine")
    text = script_of(
        backend, lambda engine: engine.numpy(engine.op("exp")(engine.array(np.array([1.0])))), None
    )
    assert text.startswith("# not the whole program: it does not carry base (see halved.py)\n"), text
    assert "RATE = 0.5\n" in text
    assert missing_in(backend, "print(half(1.0)") == ""  # no Python
    assert missing_in(backend, "print(1)") == ""
