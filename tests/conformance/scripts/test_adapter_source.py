"""A script quotes the adapter's `ops`, not other dictionaries of its module."""

from __future__ import annotations

import ast
import sys
from pathlib import Path
from types import ModuleType

import pytest

from conformance.backend import Backend
from conformance.load import load_backend
from conformance.scripts.adapter_source import call_text, expression_of, helpers_in, imports_of

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
    assert helpers_in(backend, "y = scaled(x)") == "def scaled(x):\n    return 2 * x"
    assert not helpers_in(backend, "y = sin(x)")  # the engine's own, which it imports


def test_what_a_function_of_the_adapter_uses_is_imported(tmp_path: Path) -> None:
    for name, text in {"tiny_engine": ENGINE, "small_ops": OPS}.items():
        (tmp_path / f"{name}.py").write_text(text)
    (tmp_path / "small.py").write_text(BESIDE.replace("tiny_ops", "small_ops"))
    backend = load_backend(str(tmp_path / "small.py"))
    helpers = helpers_in(backend, "y = turned(x, (2,))")
    lines = imports_of(backend, helpers, "import numpy as np").splitlines()
    assert set(lines) == {"from math import prod", "from math import tau as turn", "import itertools"}
    assert not imports_of(backend, helpers_in(backend, "y = scaled(x)"), "import numpy as np")


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
    helpers = helpers_in(backend, "y = resized(x)")
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
    helpers = helpers_in(backend, "y = la.det(x)")
    assert helpers == "la = np.linalg"
    assert imports_of(backend, helpers, "") == "import numpy as np"
    assert not helpers_in(backend, "y = np.exp(x, made)")  # what a call gives is no name for it


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
