"""The controls: engines that no check may catch.

Each is right in its own way: another precision, other formulas, another order of summation, other conventions, other
memory. What one of them fails is a fault of the suite.
"""

from collections.abc import Iterable

from conformance.op import Op
from conformance_backends.mutants.b_graph.call_histories import Pullbacks
from conformance_backends.mutants.controls.conventions import (
    FewAxes,
    ForgettingWrites,
    Lenient,
    OddMemory,
    OneDtype,
    Replacing,
    Strict,
    ZerosForNone,
)
from conformance_backends.mutants.controls.formulas import Finite, careful
from conformance_backends.mutants.controls.lesser import (
    ArraysAlone,
    Halves,
    Little,
    LittleFunctions,
    OnePrecision,
    WithAxes,
    WithEntries,
)
from conformance_backends.mutants.controls.library import Unsteady
from conformance_backends.mutants.controls.rounded_once import Unrefusing, rounded_once
from conformance_backends.mutants.controls.rows import CORRECT, of_one_triangle, of_rows
from conformance_backends.mutants.controls.sums import (
    compensated,
    evaluated_on,
    exactly,
    in_eight_lanes,
    one_by_one,
    pairwise_from_the_end,
    summed_by,
)
from conformance_backends.mutants.mutant import Mutant, WithTransforms

EVERYWHERE = ("exp", "matmul", "sum")
FLAT = ("argmax", "count_nonzero", "floor", "isnan", "less", "logical_and")
FURTHER: dict[type, tuple[str, ...]] = {OneDtype: FLAT, FewAxes: FLAT, Replacing: ("slogdet", "split")}
CONVENTIONS = (
    ("zeros", ZerosForNone, "zeros in place of None"),
    ("lenient", Lenient, "zeros, ones and broadcasting for what is missing"),
    ("strict", Strict, "refusals"),
    ("forgetting-writes", ForgettingWrites, "constants that stay constants"),
    ("odd-memory", OddMemory, "copies, backwards in memory and read-only"),
    ("one-dtype", OneDtype, "no promotion of dtypes"),
    ("replacing", Replacing, "gradients that a second call replaces"),
    ("few-axes", FewAxes, "arrays of at most nine axes"),
    ("one-precision", OnePrecision, "float32 alone"),
    ("halves", Halves, "float16 alone"),
    ("little", Little, "what a perceptron needs"),
    ("little-functions", LittleFunctions, "what a perceptron needs, without a tape"),
    ("with-entries", WithEntries, "no arrays without entries"),
    ("with-axes", WithAxes, "no arrays of shape ()"),
    ("arrays-alone", ArraysAlone, "of NumPy only arrays"),
)


def controls(ops: Iterable[str]) -> tuple[Mutant, ...]:
    """The reference engine in overridable steps, checked at `ops`, in pullback form, and in several right ways."""
    return (
        Mutant("control", CORRECT, (), WithTransforms, tuple(sorted(ops))),
        Mutant("control-pullbacks", f"{CORRECT[:-1]}, in pullback form.", (), Pullbacks, ("multiply",)),
        of_rows(
            "control-rounded-once",
            "everything rounded once from extended precision",
            rounded_once,
            Unrefusing,
        ),
        of_rows("control-careful-formulas", "by the most accurate formulas", careful, Finite),
        of_rows("control-unsteady-library", "elementary functions two units off", unsteady),
        of_rows("control-sums-one-by-one", "sums in a plain loop", summed_by(one_by_one)),
        of_rows("control-sums-from-the-end", "sums pairwise from the end", summed_by(pairwise_from_the_end)),
        of_rows("control-sums-in-lanes", "sums in eight lanes", summed_by(in_eight_lanes)),
        of_rows("control-sums-compensated", "compensated sums", summed_by(compensated)),
        of_rows("control-sums-exact", "sums rounded once", summed_by(exactly)),
        Mutant(
            "control-triangle",
            CORRECT,
            (),
            of_one_triangle("cholesky"),
            ("cholesky",),
            varies="the gradient of a symmetric matrix in one triangle",
        ),
        *(
            Mutant(
                f"control-{name}",
                CORRECT,
                (),
                made,
                (*EVERYWHERE, *FURTHER.get(made, ())),
                varies=how,
            )
            for name, made, how in CONVENTIONS
        ),
    )


def unsteady(op: Op) -> Op:
    """The row with elementary functions that are two units off."""
    return evaluated_on(op, Unsteady, op.reference, op.rule)
