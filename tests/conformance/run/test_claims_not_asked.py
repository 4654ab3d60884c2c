"""A claim that cannot be asked is not said to hold, and says why."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

import pytest
from conformance_backends.numpy_backend import NumpyTape

from conformance.atlas.conventions import MeasuredConvention
from conformance.backend import Backend
from conformance.capability import Capability
from conformance.clauses import STANDARD
from conformance.cli import main
from conformance.cli.pages.smoke_ops import blocks, convention_line, remarks
from conformance.errors import Unsupported
from conformance.ops import ALL_OPS
from conformance.run.mapping import try_mapping
from conformance.run.smoke import asked, questions

OF_CONSTANTS = "what array() makes gets no gradient"
OF_DETACHED = "what is detached gets no gradient"


def asked_of(backend: Backend, claim: str) -> tuple[str, str]:
    """What contradicts a claim, and why it cannot be asked."""
    (question,) = (q for q in questions(backend) if q.claim == claim)
    return asked(question, backend)


class Undeclared(NumpyTape):
    """It does not say whether its engine marks constants."""

    conventions: ClassVar[Mapping[str, str]] = {k: v for k, v in NumpyTape.conventions.items() if k != "C4"}


class MakesLeaves(Undeclared):
    """It has one way to make arrays, though the engine has constants."""

    def array(self, value: Any) -> Any:
        return self.leaf(value)


class MakesLeavesAlone(MakesLeaves):
    """The same, and nothing shows that the engine has constants."""

    capabilities = NumpyTape.capabilities - {Capability.DETACH, Capability.FREEZING}


class MakesLeavesThatFreeze(MakesLeaves):
    """The same, but that a leaf can be frozen."""

    capabilities = NumpyTape.capabilities - {Capability.DETACH}


class Stores(MakesLeaves):
    """Its engine is said to mark none."""

    conventions: ClassVar[Mapping[str, str]] = {**NumpyTape.conventions, "C4": "stored"}


def test_what_array_makes_is_asked_whether_or_not_a_convention_is_declared() -> None:
    assert asked_of(NumpyTape(), OF_CONSTANTS) == ("", "")
    assert asked_of(Undeclared(), OF_CONSTANTS) == ("", "")


@pytest.mark.parametrize(
    ("adapter", "marked"),
    [
        (MakesLeaves, "what detach() returns gets none"),
        (MakesLeavesThatFreeze, "a leaf after needs_gradient(leaf, False) gets none"),
    ],
)
def test_constants_that_are_leaves_are_a_slip_where_the_engine_is_seen_to_mark_constants(
    adapter: Any, marked: str
) -> None:
    said, why_not = asked_of(adapter(), OF_CONSTANTS)
    assert "the array w that array() made got a gradient of x * w" in said
    assert marked in said
    assert why_not == ""


@pytest.mark.parametrize(
    ("adapter", "claim", "why"),
    [
        (MakesLeavesAlone, OF_CONSTANTS, "C4 is not declared"),
        (Stores, OF_CONSTANTS, 'C4 is declared "stored"'),
        (Stores, OF_DETACHED, 'C4 is declared "stored"'),
    ],
)
def test_a_claim_that_cannot_be_asked_says_why(adapter: Any, claim: str, why: str) -> None:
    said, why_not = asked_of(adapter(), claim)
    assert said == ""
    assert why in why_not


def test_a_page_has_no_ok_for_a_claim_that_is_not_asked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "silent.py"
    file.write_text(
        "from conformance_backends.numpy_backend import NumpyTape\n"
        "class Silent(NumpyTape):\n"
        "    name = 'silent'\n"
        "    conventions = {**NumpyTape.conventions, 'C4': 'stored'}\n"
        "    def array(self, value):\n"
        "        return self.leaf(value)\n"
    )
    main(["smoke", str(file), "-q", "add"])
    printed = capsys.readouterr().out
    assert f"  not   {OF_CONSTANTS}: the array w that array() made got" in printed
    assert f"ok    {OF_CONSTANTS}" not in printed
    assert "could not be asked" in printed


def test_a_reason_of_several_lines_is_one_line_of_the_page() -> None:
    def refuse(*operands: Any) -> Any:
        raise Unsupported("assertion `left == right` failed\n  left: 7\n right: 2")

    backend = NumpyTape()
    backend.ops = {**backend.ops, "add": refuse}  # type: ignore[misc]  # of this object alone
    (line,) = blocks(remarks(try_mapping(backend, ALL_OPS["add"], "float64")))
    assert "assertion `left == right` failed left: 7 right: 2" in line
    measured = MeasuredConvention(STANDARD["C7"], "", (), "it ends\nthe process")
    assert "\n" not in convention_line(measured)


class WithoutSum(NumpyTape):
    """An adapter that has begun: it does not name sum yet."""

    ops = {name: NumpyTape.ops[name] for name in ("add", "multiply", "tanh")}  # noqa: RUF012  # as an adapter writes it


def test_a_claim_made_of_an_op_that_is_not_named_is_not_asked() -> None:
    engine = WithoutSum()
    answers = {q.claim: asked(q, engine) for q in questions(engine)}
    assert {said for said, _ in answers.values()} == {""}
    waiting = [claim for claim, (_, why_not) in answers.items() if why_not == "name first: sum"]
    assert "a scalar needs no cotangent" in waiting
    assert len(waiting) > 5


def test_smoke_says_once_what_to_name_first(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "begun.py"
    file.write_text(
        "from conformance_backends.numpy_backend import NumpyTape\n"
        "class Begun(NumpyTape):\n"
        "    name = 'begun'\n"
        "    ops = {k: NumpyTape.ops[k] for k in ('add', 'multiply', 'tanh')}\n"
    )
    assert main(["smoke", str(file), "-q", "tanh"]) == 0
    printed = capsys.readouterr().out
    assert printed.count("name `sum` first") == 1
    assert "BAD" not in printed
    assert "a scalar needs no cotangent" in printed
