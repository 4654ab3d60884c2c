"""The smoke test tells slips of an adapter from what is the engine's, op by op."""

from __future__ import annotations

import inspect
import math
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import msgspec
import numpy as np
import pytest
from conformance_backends import numpy_engine
from conformance_backends.numpy_backend import NumpyTape
from conformance_backends.numpy_engine.tensor import Tensor, edge_of

from conformance.atlas.conventions import MeasuredConvention
from conformance.backend import Capability, FunctionalBackend
from conformance.checks.observation import plain
from conformance.clauses import STANDARD
from conformance.cli import main
from conformance.cli.pages.smoke_ops import blocks, contradictions, remarks, written
from conformance.errors import AdapterError, Unsupported
from conformance.load import load_backend
from conformance.ops import ALL_OPS
from conformance.points import points_of
from conformance.run.claims.arrays import kinds_not_taken
from conformance.run.claims.capabilities import undeclared
from conformance.run.declarations import hold_declarations
from conformance.run.forms import COMPILED_FORMS, FORMS, forms_of
from conformance.run.mapped.findings import Finding, MappedOp, to_correct
from conformance.run.mapped.known import claim_known, id_of_claim, reason_known
from conformance.run.mapping import try_mapping
from conformance.run.mapping_process import try_ops, with_what_is_taken
from conformance.run.smoke import IN_THE_ENGINE, SmokeQuestion, hint_for, questions, try_question, version_of
from conformance.run.verdict import verdict_of
from conformance.runfile.known import KnownFailure
from conformance.runfile.records import Verdict

from .says_too_much import SaysTooMuch
from .slips import SLIPS


def mapped(name: str, function: Any, dtype: str = "float64") -> MappedOp:
    """What came of one op of the reference engine, mapped to `function`."""
    backend = NumpyTape()
    backend.ops = {**backend.ops, name: function}  # type: ignore[misc]  # of this object alone
    return try_mapping(backend, ALL_OPS[name], dtype)


def test_the_reference_engine_has_the_ops_of_the_catalogue() -> None:
    for name in ("batch_norm", "getitem", "argmax"):
        found = try_mapping(NumpyTape(), ALL_OPS[name], "float32")
        assert found == MappedOp(name, found.calls), name


@pytest.mark.parametrize(
    ("name", "function", "explained"),
    [
        ("subtract", lambda x, y: np.subtract(y, x), "the operands in the order (1, 0)"),
        ("batch_norm", lambda x, w, b, eps: NumpyTape.ops["batch_norm"](x, w, b, eps=0.1), "for eps=0.1"),
        ("softmax", lambda x, axis: NumpyTape.ops["softmax"](x, axis=-1), "for axis=-1"),
        ("leaky_relu", lambda x, negative_slope: np.where(x > 0, x, -negative_slope * x), "for negative_slope=-0.01"),
        ("log2", np.log, "0.693147 times the expected value"),
        ("outer", lambda x, y: np.outer(x, y).T, "operands in the order"),
        ("var", lambda x, axis, keepdims, correction: np.var(x, axis=axis, keepdims=keepdims), "for correction=0"),
    ],
)  # fmt: skip
def test_a_slip_of_the_mapping_is_reported_with_what_came_instead(
    name: str, function: Any, explained: str
) -> None:
    found = mapped(name, function)
    assert found.slips
    assert any(explained in slip.explanation for slip in found.slips), found.slips


def test_a_lambda_that_lacks_a_parameter_is_a_slip_with_its_call() -> None:
    found = mapped("sum", lambda x, axis: np.sum(x, axis=axis))
    assert len(found.slips) == found.calls
    assert "unexpected keyword argument 'keepdims'" in found.slips[0].message


def test_a_value_that_the_engine_refuses_is_lacking_and_others_are_not() -> None:
    def repeat(x: Any, repeats: Any, axis: Any) -> Any:
        if isinstance(repeats, list):
            raise ValueError("no lists")
        return np.repeat(x, repeats, axis=axis)

    found = mapped("repeat", repeat)
    assert found.lacking == {"repeats": (list,)}
    assert not found.slips


def test_values_of_special_points_that_are_refused_as_well_are_lacking() -> None:
    def elu(x: Any, alpha: float) -> Any:
        if alpha != 1.0:
            raise ValueError("alpha must be 1.0")
        return NumpyTape.ops["elu"](x, alpha=alpha)

    lacking = mapped("elu", elu).lacking["alpha"]
    assert {point.parameters["alpha"] for point in points_of("elu")} <= {*lacking, 1.0}
    assert 1.0 not in lacking


def test_a_refusal_of_empty_arrays_is_not_taken_for_one_of_a_value_of_a_point() -> None:
    def sums(x: Any, axis: int | None) -> Any:
        if axis is None or (axis == 0 and 0 in x.shape):
            raise ValueError("sizes 0 and 1 are not broadcast" if axis is not None else "axis is an integer")
        return np.cumsum(x, axis=axis)

    found = mapped("cumulative_sum", sums)
    assert found.lacking == {"axis": (None,)}
    (lack,) = [remark for remark in remarks(found) if remark.mark == "LACK"]
    assert "axis is an integer" in lack.message


def test_other_values_of_a_kind_that_is_refused_are_asked_too() -> None:
    def swapped(x: Any, axis1: int, axis2: int) -> Any:
        if axis1 < 0 or axis2 < 0:
            raise ValueError("axes are counted from the front")
        return np.swapaxes(x, axis1, axis2)

    lacking = mapped("swapaxes", swapped).lacking
    assert {-1, -2, -3} <= set(lacking["axis1"])
    assert all(value < 0 for values in lacking.values() for value in values)


def test_a_value_that_is_refused_of_one_rank_and_taken_of_another_is_not_to_be_pasted() -> None:
    def softmax(x: Any, axis: int) -> Any:
        if axis not in (-1, x.ndim - 1):
            raise ValueError("the last axis alone")
        return NumpyTape.ops["softmax"](x, axis=axis)

    found = mapped("softmax", softmax)
    assert set(found.lacking["axis"]) <= {-2, -3, -4, -5, -6}
    (line,) = [line for line in blocks(remarks(found)) if "`lacks` cannot say" in line]
    assert "other values of `axis` are refused in some calls and taken in others" in line


def test_where_every_call_is_refused_no_parameter_is_lacking() -> None:
    def refuse(*operands: Any, **parameters: Any) -> Any:
        raise ValueError("no such dtype")

    (line, *_) = blocks(remarks(mapped("sum", refuse)))
    assert line.startswith("  REF   sum: refused by the engine")


def test_what_is_printed_to_paste_is_python() -> None:
    declared = {"vector_norm": {"ord": (float("-inf"), float("inf"), 2.5), "axis": (tuple,)}}
    assert eval(written(declared)) == declared


def test_an_op_without_a_gradient_is_one_finding() -> None:
    def refused(g: Any, x: Any) -> Any:
        raise RuntimeError("exp has no gradient")

    found = mapped("exp", numpy_engine.custom(np.exp, refused))
    assert not found.slips
    assert found.ungradable
    assert "exp has no gradient" in found.ungradable.message


def test_an_op_has_a_gradient_where_one_of_its_calls_has() -> None:
    """All calls of a pooling op have one rank; the gradient of the first of them may be refused for its window."""
    pool = NumpyTape.ops["avg_pool2d"]

    def refused(g: Any, x: Any) -> Any:
        raise IndexError("index 2 is out of bounds")

    def of_square_windows(x: Any, kernel_size: Any, **more: Any) -> Any:
        whole = lambda x: pool(x, kernel_size=kernel_size, **more)  # noqa: E731
        return (whole if kernel_size[0] == kernel_size[1] else numpy_engine.custom(whole, refused))(x)

    found = mapped("avg_pool2d", of_square_windows)
    assert not found.ungradable
    assert {finding.message for finding in found.suspect} == {"IndexError: index 2 is out of bounds"}


class StacksGradients(NumpyTape):
    """Returns gradients of another shape."""

    def grad(self, leaf: Any) -> Any:
        """The stored gradient, twice."""
        return np.stack([super().grad(leaf)] * 2)


def test_a_gradient_of_another_shape_is_a_wrong_one_and_not_refused() -> None:
    found = try_mapping(StacksGradients(), ALL_OPS["tanh"], "float64")
    assert not found.ungradable
    assert found.suspect
    assert all("the gradient of operand 0 has shape (2, " in finding.message for finding in found.suspect)


def test_ops_that_an_engine_refuses_in_two_of_its_files_are_two_blocks() -> None:
    def refused_in(op: str, file: str, number: int) -> MappedOp:
        said = f"TypeError: '>=' not supported between instances of '{op}' and 'int'"
        place = f"mine.py:{number} → {file}:{number}"
        return MappedOp(op, 3, ungradable=Finding(op, said, place, is_raised=True))

    found = [
        refused_in("clip", "functions.py", 1),
        refused_in("max", "functions.py", 2),
        refused_in("sum", "shapes.py", 3),
    ]
    lines = list(blocks(remark for op in found for remark in remarks(op)))
    assert [line.split()[1] for line in lines if line.startswith("  GRAD")] == ["2", "sum:"]


def test_a_wrong_gradient_of_a_right_value_is_the_engines_with_its_worst_entry() -> None:
    wrong = numpy_engine.custom(np.tanh, lambda g, x: (3 * g * (1 - np.tanh(x) ** 2),))
    found = mapped("tanh", wrong)
    assert not found.slips
    assert "the gradient of operand 0 is " in found.suspect[0].message
    assert " at [" in found.suspect[0].message


@pytest.mark.parametrize("reverse", [True, False])
def test_each_value_of_a_parameter_has_a_gradient_that_is_looked_at(reverse: bool) -> None:
    right = NumpyTape.ops["cumulative_sum"]

    def wrong_where(x: Any, axis: Any, **more: Any) -> Any:
        z = right(x, axis=axis, **more)
        return z if (axis is None) is reverse else z - 0.5 * z + 0.5 * numpy_engine.detach(z)

    found = mapped("cumulative_sum", wrong_where)
    assert not found.slips
    assert found.suspect
    assert all(("axis=None" in finding.call) is not reverse for finding in found.suspect)


def test_what_numpy_gives_to_write_into_is_to_be_declared_as_memory() -> None:
    class Bare(NumpyTape):
        capabilities = NumpyTape.capabilities - {Capability.WRITABLE}

    class Copies(Bare):
        def numpy(self, array: Any) -> Any:
            return super().numpy(array).copy()

    assert "Capability.WRITABLE" in " ".join(undeclared(Bare()))
    assert not [*undeclared(Copies()), *undeclared(NumpyTape())]


def test_the_forms_of_a_call_have_every_rank_and_kind_of_parameter() -> None:
    forms = forms_of(ALL_OPS["moveaxis"])
    assert {type(form.parameters["source"]) for form in forms} == {int, tuple}


@pytest.mark.parametrize("name", ["diff", "einsum", "var", "matmul"])
def test_a_call_without_entries_is_tried_too(name: str) -> None:
    def as_if_full(*operands: Any, **parameters: Any) -> Any:
        if any(0 in x.shape for x in operands):
            return np.zeros((9, 9))
        return NumpyTape.ops[name](*operands, **parameters)

    found = mapped(name, as_if_full)
    assert [slip for slip in found.slips if "the value has shape (9, 9)" in slip.message]


def test_a_call_beside_an_axis_without_entries_is_tried_too() -> None:
    """Only there does the value of another parameter have another shape."""
    found = mapped("diff", lambda x, **p: NumpyTape.ops["diff"](x, **p) if math.prod(x.shape) else x)
    assert found.slips


class LooksAtValues(NumpyTape):
    """Computes `argmax` and `floor` of constants alone."""

    def op(self, name: str) -> Any:
        function = super().op(name)

        def looking(*operands: Any, **parameters: Any) -> Any:
            if any(x.requires_grad for x in operands):
                raise RuntimeError("variables are free")
            return function(*operands, **parameters)

        return looking if name in ("argmax", "floor") else function


def test_an_op_with_indices_that_is_refused_of_variables_has_no_gradient_until_that_is_declared() -> None:
    argmax, floor, less = (
        try_mapping(LooksAtValues(), ALL_OPS[name], "float64") for name in ("argmax", "floor", "less")
    )
    assert not floor.ungradable  # of an op with real values it is a convention
    assert not less.ungradable
    assert argmax.ungradable
    said = [next(blocks(remarks(argmax, has_declared=has_declared))) for has_declared in (False, True)]
    assert said == ["  GRAD  argmax: no gradient", "  not   argmax: no gradient, as `no_gradient` declares"]


def images_alone(x: Any, upscale_factor: int) -> Any:
    """A pixel_shuffle of four axes alone that takes the parts of a channel from all over the image."""
    if x.ndim != 4:
        raise Unsupported("images alone")
    (n, c, height, width), r = x.shape, upscale_factor
    parts = np.reshape(x, shape=(n, r, r, c // r**2, height, width))
    return np.reshape(
        np.permute_dims(parts, axes=(0, 3, 4, 1, 5, 2)), shape=(n, c // r**2, height * r, width * r)
    )


def test_in_place_of_a_call_that_is_not_offered_another_is_tried() -> None:
    """One form with entries has four axes, and one channel in the end: it shows no order of channels."""
    rank = lambda form: len(form.shapes[0])  # noqa: E731
    with_entries = [form for form in forms_of(ALL_OPS["pixel_shuffle"]) if math.prod(form.shapes[0])]
    assert [rank(form) for form in with_entries].count(4) == 1
    others = forms_of(ALL_OPS["pixel_shuffle"], is_offered=lambda form: rank(form) == 4)
    assert {rank(form) for form in others} == {4}
    assert len(others) == FORMS
    found = mapped("pixel_shuffle", images_alone)
    assert "another order" in found.slips[0].explanation
    assert found.calls == len(found.not_offered) + FORMS
    assert any("not offered in some calls:" in line for line in blocks(remarks(found)))


def test_an_engine_that_compiles_makes_no_calls_in_place_of_those_that_are_not_offered() -> None:
    ops = {**NumpyTape.ops, "pixel_shuffle": images_alone}
    backend = type("Compiling", (NumpyTape,), {"compiles_signatures": True, "ops": ops})()
    assert try_mapping(backend, ALL_OPS["pixel_shuffle"], "float64").calls <= COMPILED_FORMS


def test_calls_that_are_declared_lacking_are_replaced_also_where_each_is_compiled() -> None:
    unpadded = lambda x, padding, **others: NumpyTape.ops["max_pool2d"](x, padding=(0, 0), **others)  # noqa: E731
    lacks = {"max_pool2d": {"ceil_mode": (True,), "dilation": ((1, 2), (2, 1))}}
    members = {"compiles_signatures": True, "lacks": lacks, "ops": {**NumpyTape.ops, "max_pool2d": unpadded}}
    found = try_mapping(type("Compiling", (NumpyTape,), members)(), ALL_OPS["max_pool2d"], "float64")
    assert found.calls == len(found.not_offered) + COMPILED_FORMS
    assert any("padding=(0, 0)" in slip.explanation or "shape" in slip.message for slip in found.slips)


class Slipping(NumpyTape):
    """Declares what does not exist."""

    ops: ClassVar[dict[str, Any]] = {**NumpyTape.ops, "arcsin": np.arcsin, "tahn": np.tanh, "exp": 3}
    name = "slipping"
    dtypes = ("float64", "flaot32")
    conventions: ClassVar[dict[str, str]] = {"A2": "sumed", "A5/smu": "cast", "A99": "x", "A1": "x"}
    lacks: ClassVar[dict[str, Any]] = {"repeat": {"repeat": (list,)}}
    no_gradient: ClassVar[dict[str, frozenset[str]]] = {"*": frozenset({"inverse"})}
    points: ClassVar[dict[str, str]] = {"relu/at-zero": "zero"}


def test_what_is_declared_must_exist() -> None:
    with pytest.raises(AdapterError) as caught:
        hold_declarations(Slipping())
    said = str(caught.value)
    for slip in (
        "'arcsin' is an alias; the op is called 'asin'",
        "there is no op called 'tahn'",
        "'exp' is int, not a function",
        "there is no 'flaot32'; did you mean float32",
        "there is no 'sumed'; did you mean summed",
        "there is no op called 'smu'",
        "there is no 'A99'",
        "there is no 'repeat'; did you mean repeats",
        "there is no op called 'inverse'",
        "there is no 'relu/at-zero'",
    ):
        assert slip in said, slip


class ReadsNoStrides(NumpyTape):
    """Reads no negative strides."""

    def array(self, value: Any) -> Any:
        """As an engine does that takes memory as it is."""
        if any(step < 0 for step in value.strides):
            raise ValueError("negative strides")
        return super().array(value)


def test_memory_layouts_are_tried_and_the_place_is_printed() -> None:
    answers = {q.claim: try_question(q, ReadsNoStrides()) for q in questions(ReadsNoStrides())}
    bad = {claim: answer for claim, answer in answers.items() if answer}
    assert list(bad) == ["any memory layout goes in"]
    assert "negative strides  at test_smoke.py:" in bad["any memory layout goes in"]


class Float32Only(NumpyTape):
    """Has one dtype."""

    dtypes = ("float32",)

    def array(self, value: Any) -> Any:
        """Refuses doubles."""
        if value.dtype == np.float64:
            raise TypeError("no float64")
        return super().array(value)


class DropsImaginaryParts(NumpyTape):
    """Has no complex numbers, and takes the real part of each."""

    dtypes = ("float64", "float32")

    def array(self, value: Any) -> Any:
        return super().array(value.real)


def test_complex_numbers_come_back_or_are_refused() -> None:
    class Refuses(DropsImaginaryParts):
        def array(self, value: Any) -> Any:
            return super().array(np.asarray(value, casting_to(value)))

        def leaf(self, value: Any) -> Any:
            return super().leaf(np.asarray(value, casting_to(value)))

    def casting_to(value: Any) -> Any:
        if value.dtype.kind == "c":
            raise TypeError("no complex numbers")
        return value.dtype

    reported = {
        type(backend): "complex" in "".join(q.claim for q in questions(backend) if try_question(q, backend))
        for backend in (NumpyTape(), Refuses(), DropsImaginaryParts())
    }
    assert reported == {NumpyTape: False, Refuses: False, DropsImaginaryParts: True}


def test_an_engine_of_float32_passes() -> None:
    assert not [q.claim for q in questions(Float32Only()) if try_question(q, Float32Only())]


class WrittenHere(NumpyTape):
    """An adapter whose own lines are in this file."""


@pytest.mark.parametrize(
    "widths",
    [
        lambda pad_width: [*pad_width],
        lambda pad_width: {n for pair in pad_width for n in pair} and pad_width,
        lambda pad_width: [a + b for (a, b) in (*pad_width,)],
        lambda pad_width: pad_width["before"],
        lambda pad_width: pad_width + (0, 0) + 1,
    ],
)
def test_a_line_of_the_adapter_that_mistakes_a_python_value_is_a_slip(widths: Any) -> None:
    adapter = WrittenHere()
    adapter.ops = {"pad": lambda x, pad_width, constant_values: np.pad(x, widths(pad_width))}  # type: ignore[misc]
    found = try_mapping(adapter, ALL_OPS["pad"], "float64")
    assert any("pad_width=2" in slip.call and "TypeError" in slip.message for slip in found.slips)
    assert all("test_smoke.py" in slip.place for slip in found.slips if "TypeError" in slip.message)


def test_a_line_of_the_adapter_that_unpacks_another_number_of_outputs_is_a_slip() -> None:
    adapter = WrittenHere()

    def one_of_two(x: Any) -> Any:
        (output,) = (x, x)
        return output

    adapter.ops = {"tanh": one_of_two}  # type: ignore[misc]
    found = try_mapping(adapter, ALL_OPS["tanh"], "float64")
    assert {slip.message for slip in found.slips} == {"ValueError: too many values to unpack (expected 1)"}


@pytest.mark.parametrize(
    "call",
    [
        lambda x: np.split(x, 1, 0, 2, 3),
        lambda x: Tensor(x, gradient=True),
        lambda x: Tensor(),  # type: ignore[call-arg]
        lambda x: math.tan(),  # type: ignore[call-arg]
    ],
)
def test_a_line_of_the_adapter_that_calls_the_engine_wrongly_is_a_slip(call: Any) -> None:
    adapter = WrittenHere()
    adapter.ops = {"tanh": lambda x: call(x)}  # type: ignore[misc]
    found = try_mapping(adapter, ALL_OPS["tanh"], "float64")
    assert len(found.slips) == found.calls, found.refused
    assert not found.refused


def test_a_call_that_refuses_a_python_value_is_the_engines() -> None:
    adapter = WrittenHere()
    adapter.ops = {"pad": lambda x, pad_width, constant_values: iter(3)}  # type: ignore[misc]  # as an engine's C function
    found = try_mapping(adapter, ALL_OPS["pad"], "float64")
    assert not found.slips
    assert len(found.refused) == found.calls


@pytest.mark.parametrize("name", ["sinh", "linear", "split"])
def test_a_function_that_returns_nothing_is_a_slip(name: str) -> None:
    found = mapped(name, lambda *operands, **parameters: None)
    assert (bool(found.slips), found.refused) == (True, ())
    said = f"{name} returned None, where an array is expected: does its function return what it computes?"
    assert all(slip.message == said for slip in found.slips)


def test_a_value_is_not_lacking_where_a_rank_is_refused() -> None:
    def logsumexp(x: Any, axis: Any, keepdims: Any) -> Any:
        if x.ndim > 4:
            raise ValueError("at most 4 axes")
        return NumpyTape.ops["logsumexp"](x, axis=axis, keepdims=keepdims)

    found = mapped("logsumexp", logsumexp)
    assert found.refused
    assert not found.lacking


def test_a_value_is_not_lacking_where_other_values_in_its_place_are_refused_too() -> None:
    def unstack(x: Any, axis: Any) -> Any:
        if x.ndim > 1:
            raise ValueError("no iteration")
        return NumpyTape.ops["unstack"](x, axis=axis)

    found = mapped("unstack", unstack)
    assert found.refused
    assert not found.lacking


# Among seven forms such a call is one of chance.
LEFT_TO_A_RUN = {("whole arrays tiled", "repeat"), ("entries repeated", "tile")}


def test_slips_that_people_make_are_reported() -> None:
    passed = set()
    for (what, name), function in SLIPS.items():
        adapter = NumpyTape()
        adapter.ops = {**adapter.ops, name: function}  # type: ignore[misc]  # of this object alone
        adapter.compiles_signatures = True  # type: ignore[misc]  # which is asked fewer forms
        found = try_mapping(adapter, ALL_OPS[name], "float64")
        if not any(slip.message and name in slip.call for slip in found.slips):
            passed.add((what, name))
    assert len(SLIPS) > 90
    assert passed <= LEFT_TO_A_RUN


def in_heads_last(q: Any, k: Any, v: Any, is_causal: Any) -> Any:
    q, k, v = (x if x.ndim < 4 else np.swapaxes(x, axis1=1, axis2=2) for x in (q, k, v))
    z = NumpyTape.ops["scaled_dot_product_attention"](q, k, v, is_causal=is_causal)
    return z if z.ndim < 4 else np.swapaxes(z, axis1=1, axis2=2)


@pytest.mark.parametrize(
    ("name", "function", "explained"),
    [
        ("linear", lambda x, w, b: NumpyTape.ops["linear"](x, w.T, b), "operand 1 with its axes in the order (1, 0)"),
        ("scaled_dot_product_attention", in_heads_last, "operands and result with their axes in the order (0, 2, 1, 3)"),
        ("huber", lambda x, t, reduction, delta: NumpyTape.ops["smooth_l1"](x, t, reduction=reduction, beta=delta),
            "1/delta times the expected value"),
        ("mse", lambda x, t, reduction: NumpyTape.ops["mse"](x, t, reduction="sum" if reduction == "mean" else reduction),
            "for reduction='sum'"),
    ],
)  # fmt: skip
def test_a_layout_or_a_factor_that_an_engine_means_otherwise_is_named(
    name: str, function: Any, explained: str
) -> None:
    found = mapped(name, function)
    assert any(explained in slip.explanation for slip in found.slips), found.slips


def test_an_empty_tuple_of_axes_is_a_form_of_its_own() -> None:
    def total(x: Any, axis: Any, keepdims: Any) -> Any:
        return np.sum(x, axis=axis or None if isinstance(axis, tuple) else axis, keepdims=keepdims)

    found = mapped("sum", total)
    declared = 'if the engine takes () for all axes: lacks = {"sum": {"axis": ((),)}}'
    assert [slip.explanation for slip in found.slips] == [f"it is the value for axis=None; {declared}"]


def test_an_empty_tuple_that_is_refused_is_lacking_by_itself() -> None:
    def squeeze(x: Any, axis: Any) -> Any:
        if axis == ():
            raise ValueError("no axes")
        return np.squeeze(x, axis=axis)

    assert mapped("squeeze", squeeze).lacking == {"axis": ((),)}


def test_an_empty_tuple_is_not_listed_beside_the_type_of_all_tuples() -> None:
    def total(x: Any, *, axis: Any = None, keepdims: bool = False) -> Any:
        if isinstance(axis, tuple):
            raise NotImplementedError
        return np.sum(x, axis=axis, keepdims=keepdims)

    assert mapped("sum", total).lacking == {"axis": (tuple,)}


def test_calls_that_are_not_offered_do_not_speak_for_a_value() -> None:
    def take(x: Any, indices: Any, axis: Any) -> Any:
        if isinstance(indices, int):
            raise Unsupported("no single index")
        if axis is None:
            raise ValueError("an axis, please")
        return np.take(x, indices, axis=axis)

    assert mapped("take", take).lacking == {"axis": (None,)}


@pytest.mark.parametrize(
    ("name", "function", "explained"),
    [
        ("sin", lambda x: np.sin(x).astype("float32"), "the value has dtype float32, expected float64"),
        ("conv2d", lambda x, w, b, padding, **more: NumpyTape.ops["conv2d"](x, w, b, padding=padding[::-1], **more),
            "conv2d"),
        ("mean", lambda x, axis, keepdims: float(np.mean(x).value), "was given a Python or NumPy value (float)"),
        ("exp", lambda x: [float(n) for n in np.exp(x).value.ravel()] or [0.0], "exp returned a list of one"),
    ],
)  # fmt: skip
def test_a_value_of_another_kind_is_a_slip(name: str, function: Any, explained: str) -> None:
    class ReadsItsOwn(NumpyTape):
        def numpy(self, array: Any) -> Any:
            return array.value

    backend = ReadsItsOwn()
    backend.ops = {**backend.ops, name: function}  # type: ignore[misc]  # of this object alone
    found = try_mapping(backend, ALL_OPS[name], "float64")
    assert any(explained in slip.call + slip.message for slip in (*found.slips, *found.refused)), found


def test_a_value_of_another_dtype_is_not_explained_by_an_order_of_its_operands() -> None:
    found = mapped("logical_and", lambda x, y: np.logical_and(x, y) * 1.0)
    assert {slip.explanation for slip in found.slips} == {"it has the expected entries in another dtype"}


class ForgetsToClear(NumpyTape):
    def clear(self, leaf: Any) -> None:
        pass


def test_a_gradient_that_is_not_cleared_is_a_finding() -> None:
    def tried(backend: NumpyTape) -> dict[str, str]:
        return {q.claim: try_question(q, backend) for q in questions(backend)}

    assert not any(tried(NumpyTape()).values())
    assert [claim for claim, said in tried(ForgetsToClear()).items() if said] == [
        "a cleared gradient is gone"
    ]


def test_indices_of_two_axes_are_a_form_of_their_own() -> None:
    def take(x: Any, indices: Any, axis: Any) -> Any:
        return np.take(x, np.ravel(indices).tolist() if isinstance(indices, list) else indices, axis=axis)

    assert any("indices=[[" in slip.call for slip in mapped("take", take).slips)


@pytest.mark.parametrize(
    ("entry", "reason"),
    [
        ({"kind": "fault", "says": "the value differs from the reference value"}, "the divisor is wrong"),
        ({"script": "var.py", "says": "the value is *"}, "the divisor is wrong"),
        ({"says": "the value is *"}, ""),  # nobody has judged it
        ({"kind": "fault"}, ""),  # it does not say that it is about values
        ({"kind": "fault", "says": "the value has shape *"}, ""),
    ],
)
def test_a_wrong_value_that_is_known_as_the_engines_is_not_to_be_corrected(entry: Any, reason: str) -> None:
    function = NumpyTape.ops["var"]
    found = mapped(
        "var", lambda x, axis, keepdims, correction: function(x, axis=axis, keepdims=keepdims, correction=0)
    )
    known = [KnownFailure(id="*/op/var/*", reason="the divisor is wrong", **entry)]
    assert found.slips
    assert reason_known(found, NumpyTape(), known) == reason
    said = "\n".join(blocks(remarks(found, reason)))
    assert ("KNOWN var" in said) is bool(reason)
    assert ("BAD" in said) is not bool(reason)


def test_a_wrong_value_of_an_op_without_a_slope_is_known_by_the_id_that_a_run_gives_it() -> None:
    found = mapped("all", lambda x, axis, keepdims: np.any(x, axis=axis, keepdims=keepdims))
    known = KnownFailure(
        id="*/op/all/flat/*",
        reason="any for all",
        kind="fault",
        says="the value differs from the reference value",
    )
    assert found.slips
    assert reason_known(found, NumpyTape(), [known]) == "any for all"


@pytest.mark.parametrize(
    ("entry", "reason"),
    [
        ({"id": "numpy/smoke/a-scalar-needs-*", "kind": "fault", "says": "ValueError*"}, "no scalars"),
        ({"id": "numpy/smoke/a-scalar-needs-*", "script": "s.py", "says": "ValueError*"}, "no scalars"),
        ({"id": "numpy/smoke/a-scalar-needs-*", "says": "ValueError*"}, ""),  # nobody has judged it
        ({"id": "numpy/smoke/a-scalar-needs-*", "kind": "fault"}, ""),  # it does not say what goes wrong
        ({"id": "numpy/smoke/a-scalar-needs-*", "kind": "fault", "says": "TypeError*"}, ""),
        ({"id": "numpy/*", "kind": "fault", "says": "*"}, ""),  # it speaks of a run
    ],
)
def test_a_claim_that_the_engine_contradicts_is_known(entry: Any, reason: str) -> None:
    known = [KnownFailure(reason="no scalars", **entry)]
    backend, claim = load_backend("numpy"), "a scalar needs no cotangent"
    assert id_of_claim(backend, claim) == "numpy/smoke/a-scalar-needs-no-cotangent"
    assert claim_known(claim, "ValueError: no  at a.py:1 → b.py:2", backend, known) == reason


def test_what_a_claim_says_of_wrong_numbers_is_listed_with_or_without_the_exception() -> None:
    backend, claim = NumpyTape(), "a scalar needs no cotangent"
    answer = "Violation: the gradient of x * x is 1, not 2"
    for says in ("Violation: the gradient of *", "the gradient of x * x is *", "*"):
        entry = KnownFailure(id=id_of_claim(backend, claim), reason="r", kind="fault", says=says)
        assert claim_known(claim, answer, backend, [entry]) == "r"
    other = KnownFailure(id=id_of_claim(backend, claim), reason="r", kind="fault", says="gradient of *")
    assert claim_known(claim, answer, backend, [other]) == ""


def test_no_two_claims_have_one_id() -> None:
    claims = [question.claim for question in questions(NumpyTape())]
    assert len({id_of_claim(NumpyTape(), claim) for claim in claims}) == len(claims)


def test_an_exception_of_the_adapter_is_not_known_as_the_engines() -> None:
    adapter = WrittenHere()
    adapter.ops = {"pad": lambda x, pad_width, constant_values: no_such_name}  # type: ignore[misc,name-defined]  # noqa: F821
    found = try_mapping(adapter, ALL_OPS["pad"], "float64")
    known = [KnownFailure(id="*/op/pad/*", reason="r", kind="fault", says="*")]
    assert found.slips
    assert reason_known(found, adapter, known) == ""


def test_an_op_that_is_flat_is_tried_where_it_jumps_and_its_positions_are_whole_numbers() -> None:
    away = mapped("rint", lambda x: np.sign(x) * np.floor(np.abs(x) + 0.5))
    assert "the value is" in away.slips[0].message
    positions = mapped("argsort", lambda x, axis: NumpyTape.ops["argsort"](x, axis=axis) * 1.0)
    assert "float64, expected int64" in positions.slips[0].message


def test_an_op_is_tried_on_every_one_of_its_pieces() -> None:
    assert any("6.3125" in slip.message for slip in mapped("relu6", NumpyTape.ops["relu"]).slips)
    assert not mapped("relu6", NumpyTape.ops["relu6"]).slips


def test_ops_with_one_cause_are_one_block() -> None:
    def refuse(*operands: Any) -> Any:
        raise NotImplementedError(f"no kernel for float64 of {operands[0].shape}")

    found = [mapped(name, refuse) for name in ("exp", "log", "tanh")] + [mapped("sin", np.cos)]
    lines = list(blocks(remark for op in found for remark in remarks(op)))
    assert [line for line in lines if line.startswith("  REF")] == [
        "  REF   3 ops: refused by the engine, unless it is called wrongly"
    ]
    assert "          exp (in 7 of 7 calls), log (in 7 of 7 calls), tanh (in 7 of 7 calls)" in lines
    assert sum("no kernel for float64" in line for line in lines) == 1
    assert sum(line.startswith("  BAD   sin: not the op that the catalogue means") for line in lines) == 1


def test_ops_whose_refusals_differ_in_their_own_names_are_one_block() -> None:
    def refused(op: str, function: str) -> MappedOp:
        said = f"RuntimeError: tensor.{function}(): operands have incompatible shapes: (0,) and ()."
        place = "mine.py:1"
        return MappedOp(op, 3, ungradable=Finding(op, said, place, is_raised=True))

    found = [refused("add", "__add__"), refused("multiply", "__mul__"), refused("fmax", "fmax")]
    found += [refused("hypot", "maximum")]
    lines = list(blocks(remark for op in found for remark in remarks(op)))
    assert [line.split()[1] for line in lines if line.startswith("  GRAD")] == ["3", "hypot:"]


class LeavesConstantsAlone(NumpyTape):
    """A backward call from a constant does nothing, as in many engines."""

    def backward(self, output: Any, gradient: Any = None, *, retain: bool = False) -> None:
        """Of what is recorded alone."""
        if edge_of(output) is not None:
            super().backward(output, gradient, retain=retain)


def test_a_function_that_leaves_the_engine_is_a_slip_where_no_gradient_arrives() -> None:
    adapter = LeavesConstantsAlone()
    adapter.ops = {**adapter.ops, "sinh": lambda x: numpy_engine.Tensor(np.sinh(x.value))}  # type: ignore[misc]
    (slip,) = try_mapping(adapter, ALL_OPS["sinh"], "float64").slips
    assert "NumPy, Python's numbers or detach" in slip.explanation
    says = "the gradient of operand 0 was dropped: the engine gave None"  # as a run has it
    known = KnownFailure(
        id=f"{adapter.name}/op/sinh/vjp/float64", reason="no gradient", says=says, kind="fault"
    )
    assert reason_known(MappedOp("sinh", 7, (slip,)), adapter, [known]) == "no gradient"


def test_a_dropped_gradient_stands_under_a_heading_of_its_own_with_what_settles_it() -> None:
    adapter = LeavesConstantsAlone()
    adapter.ops = {**adapter.ops, "sinh": lambda x: numpy_engine.Tensor(np.sinh(x.value))}  # type: ignore[misc]
    (first, *lines) = blocks(remarks(try_mapping(adapter, ALL_OPS["sinh"], "float64"), has_declared=True))
    assert first == "  BAD   sinh: a gradient does not arrive in any call of which it was computed"
    said = "\n".join(lines)
    known = remarks(try_mapping(adapter, ALL_OPS["sinh"], "float64"), "it is known")
    assert list(blocks(known)) == ["  KNOWN sinh: it is known"]
    assert "conformance run … -q op/sinh" in said
    assert "`no_gradient` does not settle it" in said
    assert "catalogue" not in said
    assert "calls" not in said


def test_a_gradient_of_zeros_everywhere_is_settled_by_what_a_run_says_of_it() -> None:
    """A rule of the engine that returns zeros drops the gradient, too."""
    found = mapped("sinh", numpy_engine.custom(np.sinh, lambda g, x: g * 0))
    (slip,) = found.slips
    assert slip.is_dropped
    says = "the gradient of operand 0 differs from the reference VJP"
    known = KnownFailure(
        id=f"{NumpyTape().name}/op/sinh/vjp/float64", reason="zeros", says=says, kind="fault"
    )
    assert reason_known(found, NumpyTape(), [known]) == "zeros"
    other = KnownFailure(id=known.id, reason="another", says="the value differs *", kind="fault")
    assert not reason_known(found, NumpyTape(), [other])


def _with_constant_bias(x: Any, weight: Any, bias: Any) -> Any:
    return NumpyTape.ops["linear"](x, weight, numpy_engine.Tensor(np.array(bias.value)))


def test_an_operand_that_leaves_the_engine_is_a_slip_though_the_gradients_of_others_arrive() -> None:
    found = mapped("linear", _with_constant_bias)
    (slip,) = found.slips
    assert (slip.is_dropped, found.suspect) == (True, ())
    assert slip.message == "the gradient of operand 2 was dropped: the engine gave None"
    assert "NumPy, Python's numbers or detach" in slip.explanation
    assert not mapped("linear", NumpyTape.ops["linear"]).slips


def test_a_gradient_that_is_missing_in_some_calls_alone_stays_the_engines() -> None:
    """A bias of one entry that an engine takes for a constant is no slip of the mapping."""
    linear = NumpyTape.ops["linear"]
    found = mapped("linear", lambda x, w, b: (_with_constant_bias if len(x.shape) > 1 else linear)(x, w, b))
    assert (found.slips, bool(found.suspect)) == ((), True)


def test_a_function_that_leaves_an_engine_that_refuses_constants_is_a_slip() -> None:
    found = mapped("sinh", lambda x: numpy_engine.Tensor(np.sinh(x.value)))
    assert found.ungradable is None
    (slip,) = found.slips
    assert "NumPy, Python's numbers or detach" in slip.explanation
    assert not slip.is_raised  # it is no exception of the adapter's
    assert not mapped("sinh", np.sinh).slips


def test_a_function_that_writes_into_its_operand_is_a_slip() -> None:
    def in_place(x: Any) -> Any:
        if x.size:
            np.maximum(x.value, 0, out=x.value)
        return NumpyTape.ops["relu"](x)

    (slip,) = mapped("relu", in_place).slips
    assert "operand 0 is" in slip.message
    assert "writes into it" in slip.message


def test_a_function_that_returns_a_buffer_that_it_keeps_is_a_slip() -> None:
    buffers: dict[Any, Any] = {}

    def square(x: Any) -> Any:
        value = NumpyTape.ops["square"](x)
        buffer = buffers.setdefault((x.shape, x.dtype), np.empty(x.shape, x.dtype))
        buffer[...], value.value = value.value, buffer
        return value

    (slip,) = mapped("square", square).slips
    assert "does the function return a buffer that it keeps?" in slip.message


def test_vectors_of_other_signs_are_named() -> None:
    def negated(x: Any) -> Any:
        values, vectors = NumpyTape.ops["eigh"](x)
        return values, vectors * -1.0

    found = mapped("eigh", negated)
    assert "other signs of the vectors" in found.slips[0].explanation


def test_of_values_that_explain_as_much_the_usual_one_is_named() -> None:
    undilated = lambda x, dilation, **others: NumpyTape.ops["max_pool2d"](x, dilation=(1, 1), **others)  # noqa: E731
    found = mapped("max_pool2d", undilated)
    explained = {slip.explanation for slip in found.slips if "kernel_size=(1, 5)" in slip.call}
    assert explained == {"it is the value for dilation=(1, 1)"}


def test_the_first_value_that_is_wrong_is_explained() -> None:
    def halved(x: Any) -> Any:
        sign, logarithm = NumpyTape.ops["slogdet"](x)
        return sign, logarithm * 0.5

    assert any("it is 0.5 times" in s.explanation for s in mapped("slogdet", halved).slips)


def test_each_cause_of_a_refusal_is_shown() -> None:
    def refuse(x: Any, axis: Any, keepdims: Any) -> Any:
        if axis is None:
            raise ValueError("no axis")
        raise RuntimeError(f"no kernel for rank {x.ndim}")

    (block,) = (remark for remark in remarks(mapped("sum", refuse)) if remark.mark == "REF")
    assert [("no axis" in line, "no kernel" in line) for line in block.details] in (
        [(True, False), (False, True)],
        [(False, True), (True, False)],
    )


def test_one_pair_of_margins_for_all_axes_is_a_form_of_its_own() -> None:
    forms = forms_of(ALL_OPS["pad"])
    assert any(
        len(form.parameters["pad_width"]) == 1 < len(form.shapes[0])
        for form in forms
        if isinstance(form.parameters["pad_width"], tuple)
    )


def test_axes_that_are_inserted_one_after_the_other_are_noticed() -> None:
    def inserted(x: Any, axis: Any) -> Any:
        for number in axis if isinstance(axis, tuple) else (axis,):
            x = np.expand_dims(x, number)
        return x

    found = mapped("expand_dims", inserted)
    assert any("axis=(" in finding.call for finding in (*found.slips, *found.refused))


ENDS_AND_SLIPS = """
import os
import numpy as np
from conformance_backends.numpy_backend import NumpyTape

def total(x, axis, keepdims):
    if axis is None:
        os.abort()
    return np.sum(x, axis=axis)

class Ends(NumpyTape):
    ops = {**NumpyTape.ops, "sum": total}
"""


def test_an_op_that_ends_the_process_is_tried_without_the_call_that_does(tmp_path: Path) -> None:
    file = tmp_path / "ends_at_none.py"
    file.write_text(ENDS_AND_SLIPS)
    (found,) = try_ops(
        load_backend(str(file)), str(file), "float64", ["sum"], lambda doing: None, lambda text: None
    )
    assert found.calls == len(forms_of(ALL_OPS["sum"]))
    assert {"axis=None" in finding.call for finding in found.refused} == {True}
    assert "ended the process" in found.refused[0].message
    assert any("expected" in slip.message for slip in found.slips)  # keepdims is not handed on


ENDS_ALWAYS = """
import os
from conformance_backends.numpy_backend import NumpyTape

class Gone(NumpyTape):
    ops = {**NumpyTape.ops, "tanh": lambda x: os._exit(CODE)}
"""


@pytest.mark.parametrize("code", [0, 7])
def test_an_adapter_of_which_every_call_ends_the_process_is_to_be_corrected(
    code: int, tmp_path: Path, capsys: Any
) -> None:
    file = tmp_path / "gone.py"
    file.write_text(ENDS_ALWAYS.replace("CODE", str(code)))
    assert main(["smoke", str(file), "--op", "tanh"]) == 11
    said = capsys.readouterr().out
    assert f"the engine ended the process (exit {code})" in said
    assert "correct the adapter first: 1 op" in said
    dead, alive = (
        MappedOp("tanh", 4, refused=(Finding("tanh", ""),) * 4, is_given_up=True),
        MappedOp("exp", 4),
    )
    assert to_correct([dead]) == [dead]
    assert not to_correct([dead, alive])  # an engine that has one op that ends processes


IN_FLOAT32_ALONE = """
import numpy as np
from conformance_backends.numpy_backend import NumpyTape
from conformance.errors import Unsupported

class Narrow(NumpyTape):
    def op(self, name):
        function = super().op(name)
        def limited(x, *operands, **parameters):
            if x.dtype == "float64" and name == "subtract":
                raise Unsupported("subtract of float64")
            if x.dtype == "float64" and name == "tanh":
                raise ValueError("no kernel")
            if x.dtype == "float64" and name == "exp":
                return self.without_gradient(x)
            return function(x, *operands, **parameters)
        return limited
    def without_gradient(self, x):
        from conformance_backends import numpy_engine
        def refused(g, x):
            raise RuntimeError("exp has no gradient")
        return numpy_engine.custom(np.exp, refused)(x)
    ops = {**NumpyTape.ops, "subtract": lambda x, y: np.subtract(y, x)}
"""


def test_an_op_of_another_dtype_alone_is_tried_in_that(tmp_path: Path) -> None:
    file = tmp_path / "narrow_alone.py"
    file.write_text(IN_FLOAT32_ALONE)
    backend = load_backend(str(file))
    found = {
        m.op: m
        for m in try_ops(
            backend,
            str(file),
            "float64",
            ["subtract", "tanh", "exp", "cos"],
            lambda doing: None,
            lambda text: None,
        )
    }
    assert {found[name].dtype for name in ("subtract", "tanh")} == {"float32"}
    assert {f.call.rpartition(" ")[2] for f in found["subtract"].slips} == {"float32"}
    (line, *_) = [line for line in blocks(remarks(found["tanh"])) if "it is computed in" in line]
    assert "float32" in line
    assert not found["tanh"].slips
    assert found["exp"].ungradable_in == "float64"
    assert found["cos"] == MappedOp("cos", found["cos"].calls)


def test_an_op_that_is_answered_in_no_call_is_not_counted_as_right() -> None:
    def refuse(*operands: Any, **parameters: Any) -> Any:
        raise Unsupported("nowhere")

    assert not mapped("sum", refuse).is_answered
    assert mapped("sum", NumpyTape.ops["sum"]).is_answered


class LooksUpByItself(NumpyTape):
    """Wraps each op, and does not begin with what the protocol has."""

    def op(self, name: str) -> Any:
        """Also of a name that the adapter lacks."""
        return self.ops[name]

    ops: ClassVar[dict[str, Any]] = {
        name: op for name, op in NumpyTape.ops.items() if name in ("add", "sum", "multiply")
    }


def test_an_op_that_is_not_named_and_not_refused_is_a_finding() -> None:
    claims = {q.claim: q for q in questions(NumpyTape())}
    claim = claims["an op that is not named is not offered"]
    assert try_question(claim, NumpyTape()) == ""
    assert "KeyError" in try_question(claim, LooksUpByItself())
    with pytest.raises(KeyError) as caught:
        LooksUpByItself().op("tanh")
    assert verdict_of(caught.value, LooksUpByItself) is Verdict.ADAPTER_ERROR


class RaisesWhereItIsRead(NumpyTape):
    """The adapter to an engine that computes later: what is wrong with a call shows where its value is read."""

    def numpy(self, array: Any) -> Any:
        """The value, if there is one."""
        return np.linalg.cholesky(-np.eye(2))  # raises in a file that is not the adapter's


class WaitsBefore(RaisesWhereItIsRead):
    """Waits for the value."""

    def finish(self, array: Any) -> None:
        """As `numpy` does."""


def test_what_an_engine_raises_where_it_is_read_has_a_hint_to_wait_for_it() -> None:
    found = try_mapping(RaisesWhereItIsRead(), ALL_OPS["tanh"], "float64")
    assert "let finish(array) wait" in found.slips[0].explanation
    found = try_mapping(WaitsBefore(), ALL_OPS["tanh"], "float64")
    assert not found.slips[0].explanation


class MapsByCalls(NumpyTape):
    """Maps a function over rows by calling it for each."""

    capabilities = NumpyTape.capabilities | {Capability.VECTORIZING}

    def vectorized(self, function: Any) -> Any:
        return lambda a: np.stack([function(a[i]) for i in range(len(a))])


class MapsOfConstants(MapsByCalls):
    """What it maps is computed without history, as by a function that was traced apart."""

    def vectorized(self, function: Any) -> Any:
        by_calls = super().vectorized(function)
        return lambda a: by_calls(self.array(self.numpy(a)))


class MapsWithoutCaptured(MapsByCalls):
    """Cannot map what captures a variable."""

    def vectorized(self, function: Any) -> Any:
        raise Unsupported("variables are free")


def test_a_mapped_function_captures_a_variable_or_is_not_offered() -> None:
    right = {
        type(b): not try_question(
            {q.claim: q for q in questions(b)}["a mapped function may capture a variable"], b
        )
        for b in (MapsByCalls(), MapsOfConstants(), MapsWithoutCaptured())
    }
    assert right == {MapsByCalls: True, MapsOfConstants: False, MapsWithoutCaptured: True}


class NotInstalled(NumpyTape):
    """Asks for the version of a distribution that has another name."""

    def version(self) -> str:
        """As a new adapter's does where engine and distribution have different names."""
        raise ImportError("no package metadata was found")


def test_a_version_that_raises_is_a_claim_about_the_adapter() -> None:
    assert version_of(NotInstalled()) == "unknown"
    first = next(iter(questions(NotInstalled())))
    assert "no package metadata" in try_question(first, NotInstalled())
    assert "engine.__version__" in first.hint


class DifferentiatesByWhatItIsGiven(NumpyTape):
    """Takes the arrays themselves for the variables, and so what the function captures of them."""

    def nested_vjp(self, function: Any, arrays: Any, cotangents: Any) -> tuple[Any, ...]:
        """The gradient by everything that is one of the arrays."""
        return tuple(2 * g for g in super().nested_vjp(function, arrays, cotangents))


def test_an_inner_gradient_by_what_is_captured_is_a_finding() -> None:
    claims = {q.claim: q for q in questions(NumpyTape())}
    claim = claims["an inner gradient takes what it captures as a constant"]
    assert try_question(claim, NumpyTape()) == ""
    assert "at y = x" in try_question(claim, DifferentiatesByWhatItIsGiven())


class StoresWhatItReads(NumpyTape):
    """Adds its own inner gradient to the outer one, as an engine does that stores both in one place."""

    def nested_vjp(self, function: Any, arrays: Any, cotangents: Any) -> tuple[Any, ...]:
        """The gradients, each beside the array that it was taken of."""
        pulled = super().nested_vjp(function, arrays, cotangents)
        return tuple(g + (x - x.value) for g, x in zip(pulled, arrays, strict=True))


def test_an_inner_gradient_that_is_added_to_the_outer_one_is_a_finding() -> None:
    claim = {q.claim: q for q in questions(NumpyTape())}["an inner gradient can be differentiated"]
    assert try_question(claim, NumpyTape()) == ""
    assert "the gradient of x * x, differentiated" in try_question(claim, StoresWhatItReads())
    assert "it clears those" in claim.hint


def speaking(**words: Any) -> NumpyTape:
    """The reference engine, with other words for its calls."""
    dialect = replace(NumpyTape().dialect, **words)
    return type("Speaking", (NumpyTape,), {"dialect": dialect})()


def test_a_dialect_whose_script_does_not_run_is_a_finding() -> None:
    claim = {q.claim: q for q in questions(NumpyTape())}["the scripts of a few calls run"]
    assert try_question(claim, NumpyTape()) == ""
    for words, said in (
        ({"backward": "{output}.back()"}, "AttributeError: 'Tensor' object has no attribute 'back', in: "),
        ({"clear": "{leaf}.forget()"}, "no attribute 'forget'"),
        ({"backward_with": "{output}.push({cotangent})"}, "no attribute 'push', in: "),
        ({"imports": "import no_such_engine\nimport numpy as np"}, "No module named 'no_such_engine'"),
    ):
        assert said in try_question(claim, speaking(**words))


def test_an_adapter_without_a_dialect_is_not_asked_for_scripts() -> None:
    mute = type("Mute", (NumpyTape,), {"dialect": None})()
    assert "the scripts of a few calls run" not in {q.claim for q in questions(mute)}


class TakesConstantsForConstants(NumpyTape):
    """Differentiates by arrays that need a gradient alone; of the others it has None, or what does not go through an op."""

    of_a_constant: ClassVar[Any] = staticmethod(lambda g: None)

    def nested_vjp(self, function: Any, arrays: Any, cotangents: Any) -> tuple[Any, ...]:
        """The gradients, but of constants."""
        pulled = super().nested_vjp(function, arrays, cotangents)
        return tuple(
            g if x.requires_grad else self.of_a_constant(g) for g, x in zip(pulled, arrays, strict=True)
        )


class TakesAPartAtConstants(TakesConstantsForConstants):
    """Has a third of the gradient of a constant."""

    of_a_constant = staticmethod(lambda g: g / 3)


def test_an_inner_gradient_that_is_missing_at_constants_is_a_finding() -> None:
    claim = {q.claim: q for q in questions(NumpyTape())}["an inner gradient can be taken at a constant"]
    assert try_question(claim, NumpyTape()) == ""
    assert "is None where x is a constant" in try_question(claim, TakesConstantsForConstants())
    assert "got [  9. -25.], expected [ 27. -75.]" in try_question(claim, TakesAPartAtConstants())


def test_what_cancels_is_rounded_and_not_wrong() -> None:
    """The softmax of one entry has the gradient 0: as a quotient it is a unit in the last place of the cotangent."""

    def quotient(x: Any, axis: Any) -> Any:
        e = np.exp(x)
        return e / np.sum(e / 3, axis=axis, keepdims=True) / 3

    assert not mapped("softmax", quotient).suspect


def test_a_parameter_that_is_infinite_is_no_factor() -> None:
    def norm(x: Any, ord: Any, **more: Any) -> Any:
        return NumpyTape.ops["vector_norm"](x, ord=1 if ord == np.inf else ord, **more)

    found = mapped("vector_norm", norm)
    assert found.slips
    assert not any("ord times" in slip.explanation for slip in found.slips)


def test_what_this_project_finds_wrong_has_no_line_of_the_standard_library() -> None:
    wrong = numpy_engine.custom(np.tanh, lambda g, x: (np.sum(g),))
    found = mapped("tanh", wrong)
    assert found.suspect
    assert not any("functools" in finding.place for finding in found.suspect)
    lines = list(blocks(remarks(mapped("sum", lambda x, axis: np.sum(x, axis=axis)))))
    assert lines[0].startswith("  BAD   sum: fails in the adapter")
    assert not any("functools" in line for line in lines)


def test_values_that_have_the_digits_of_float32_by_chance_are_no_slip() -> None:
    calls = 0

    def once(x: Any) -> Any:
        nonlocal calls
        calls += 1
        cast = NumpyTape.ops["astype"]
        return np.exp(x) if calls > 1 else cast(cast(np.exp(x), dtype="float32"), dtype="float64")

    assert not mapped("exp", once).slips


class ExpectsEveryCotangent(NumpyTape):
    """Hands on what a custom rule returns as if all operands were variables."""

    def custom(self, forward: Any, backward: Any) -> Any:
        """The rule, of which no result may be None."""

        def complete(g: Any, *operands: Any) -> Any:
            return [pulled + 0 for pulled in backward(g, *operands)]

        return super().custom(forward, complete)


def test_a_custom_rule_that_fails_beside_a_constant_is_a_finding() -> None:
    claims = {q.claim: q for q in questions(NumpyTape())}
    claim = claims["a custom rule works, beside a constant too"]
    assert try_question(claim, NumpyTape()) == ""
    assert "NoneType" in try_question(claim, ExpectsEveryCotangent())


def test_what_is_raised_by_no_line_of_theirs_is_said_without_a_place() -> None:
    backend = NumpyTape()
    backend.ops = {}  # type: ignore[misc]  # of this object alone
    said = {q.claim: try_question(q, backend) for q in questions(backend)}
    assert said["add is found and adds"] == "Unsupported: the adapter of numpy names no add"


class ReadsOneNumber(NumpyTape):
    """Its own line mistakes what is stored."""

    def grad(self, leaf: Any) -> Any:
        gradient = super().grad(leaf)
        return gradient if gradient is None or gradient.ndim != 1 else np.zeros(2).item(5)


class IsRefusedWhereItReads(NumpyTape):
    """The engine says something of the gradient that is read."""

    def grad(self, leaf: Any) -> Any:
        gradient = super().grad(leaf)
        return (
            gradient
            if gradient is None or gradient.ndim != 1
            else Tensor(gradient, requires_grad=True).backward()
        )


def test_what_a_line_of_grad_raises_is_the_adapters_and_what_the_engine_raises_there_is_not() -> None:
    found = try_mapping(ReadsOneNumber(), ALL_OPS["tanh"], "float64")
    assert any("IndexError" in slip.message for slip in found.slips)
    assert not found.suspect
    found = try_mapping(IsRefusedWhereItReads(), ALL_OPS["tanh"], "float64")
    assert any(finding.is_raised and "seeds.py" in finding.place for finding in found.suspect)
    assert not found.slips


class StoresNumbers(NumpyTape):
    """Its stored gradients are NumPy's arrays."""

    def numpy(self, array: Any) -> Any:
        return array.value


def test_a_gradient_that_numpy_does_not_read_names_what_returns_it() -> None:
    said = {q.claim: try_question(q, StoresNumbers()) for q in questions(StoresNumbers())}
    assert "(ndarray of float64)" in said["the gradients of a product are right"]
    assert "what grad(), gradient() or a pullback returns" in said["the gradients of a product are right"]


class ComputesWithObjects(NumpyTape):
    """Its arrays are NumPy's, of objects; of some it reads no numbers."""

    def array(self, value: Any) -> Any:
        return np.asarray(value, object)

    def numpy(self, array: Any) -> Any:
        raise TypeError("complex numbers")


def test_what_numpy_raises_of_an_array_of_its_own_is_said_as_it_is() -> None:
    with pytest.raises(TypeError, match="complex numbers"):
        plain(ComputesWithObjects(), np.asarray([1j], object))
    with pytest.raises(AdapterError, match=r"\(ndarray of complex128\)"):
        plain(ComputesWithObjects(), np.asarray([1j]))


def test_a_template_that_a_dialect_lacks_is_named() -> None:
    backend = NumpyTape()
    assert backend.dialect is not None
    backend.dialect = replace(backend.dialect, grad="", backward_with="")
    (script,) = [q for q in questions(backend) if q.claim == "the scripts of a few calls run"]
    assert try_question(script, backend).endswith(
        "`dialect` writes nothing where scripts need backward_with, grad"
    )


def test_why_no_convention_holds_is_said_once_and_with_what_the_adapter_may_have_done() -> None:
    failures = {"refused": "accepted", "broadcast": "accepted"}
    measured = MeasuredConvention(STANDARD["A4"], None, (), failures=failures)
    first, hint = contradictions(measured)
    assert first == "not 'refused', 'broadcast': accepted"
    assert "raise Unsupported" in hint
    assert not list(contradictions(replace(measured, found=("refused",))))


def test_a_checkpoint_that_is_never_called_again_may_be_the_adapters() -> None:
    never = "a checkpointed function was called 0 times in the backward pass; the adapter declares 'calls'"
    measured = MeasuredConvention(
        STANDARD["C6"], None, (), failures={"calls": never, "replays": "it holds as much"}
    )
    assert list(contradictions(measured))[-1].startswith("hint: checkpoint() returns the engine's")
    other = {"calls": "another gradient", "replays": "another gradient"}
    assert not any("hint" in line for line in contradictions(replace(measured, failures=other)))


def test_integers_that_the_engine_makes_floating_point_are_the_engines() -> None:
    measured = MeasuredConvention(STANDARD["A16"], None, (), failures={"none": "not None"})
    assert "if the engine itself does, that is the engine's fault" in list(contradictions(measured))[-1]


class TakesOneCotangent(FunctionalBackend):
    """Its pullback knows functions of one output alone."""

    name = engine = "one-cotangent"
    ops: ClassVar = {name: NumpyTape.ops[name] for name in ("add", "multiply", "sum")}

    def version(self) -> str:
        return "1"

    def array(self, value: Any) -> Any:
        return Tensor(value)

    def numpy(self, array: Any) -> Any:
        return array.value

    def pullback(self, function: Any, arrays: Any) -> Any:
        output, pull = numpy_engine.vjp(function, *arrays)
        return output, lambda cotangent: pull(Tensor(cotangent.value))

    def gradient(self, function: Any, operands: Any) -> Any:
        return numpy_engine.grad(function)(*map(self.array, operands))


class AddsCotangents(NumpyTape):
    """It goes back from the last output alone, with the sum of all cotangents."""

    def vjp(self, function: Any, operands: Any, cotangents: Any, wrt: Any = None) -> Any:
        if len(cotangents) == 1:
            return super().vjp(function, operands, cotangents, wrt)
        outputs, _ = super().vjp(function, operands, cotangents, wrt)
        _, gradients = super().vjp(lambda *xs: function(*xs)[-1], operands, [sum(cotangents)], wrt)
        return outputs, gradients


@pytest.mark.parametrize("adapter", [TakesOneCotangent, AddsCotangents])
def test_cotangents_of_several_outputs_are_asked_for(adapter: Any) -> None:
    said = {q.claim: try_question(q, adapter()) for q in questions(adapter())}
    assert said["each output of several has its own cotangent"]
    assert not said["the gradients of a product are right"]


@pytest.mark.parametrize(
    ("answer", "is_hinted"),
    [
        ("KeyError: x  at mine.py:141 → graph.py:89", True),
        ("KeyError: x  at mine.py:141", False),
        ("the gradient is [1, 2], expected [2, 4]", False),
    ],
)
def test_what_a_line_of_the_engine_raises_may_be_its_own_fault(answer: str, *, is_hinted: bool) -> None:
    question = SmokeQuestion("a claim", lambda backend: None, "look there")
    assert hint_for(question, answer).startswith("look there")
    assert (IN_THE_ENGINE in hint_for(question, answer)) is is_hinted


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        (lambda g: g.astype("float32"), "float64 came back as float32"),
        (lambda g: g.reshape(-1), "shape (6,), expected (2, 3)"),
        (lambda g: g.astype("float32").astype("float64"), "came back changed"),
    ],
)
def test_a_gradient_of_another_shape_or_dtype_or_of_fewer_digits_contradicts_a_claim(
    changed: Any, said: str
) -> None:
    class Changed(NumpyTape):
        def grad(self, leaf: Any) -> Any:
            return changed(super().grad(leaf))

    claim = "a product in float64 and its gradients have the operands' shape, dtype and digits"
    (question,) = (q for q in questions(Changed()) if q.claim == claim)
    assert try_question(question, NumpyTape()) == ""
    assert said in try_question(question, Changed())


def test_what_is_declared_lacking_and_is_computed_is_named() -> None:
    """Of no axes, without which all calls are right; not of one whose value, or gradient, is wrong in a call, or that ends the process."""
    backend, spec = SaysTooMuch(), f"{inspect.getfile(SaysTooMuch)}:SaysTooMuch"
    mapped = [MappedOp(name, 7) for name in backend.ops]
    taken = {
        op.op: [f.message for f in op.taken] for op in with_what_is_taken(backend, spec, "float64", mapped)
    }
    said = "`lacks` has {} = {}, and {} of {} calls with that are right: leave it out, and they are asked"
    assert taken == {
        "sum": [said.format("axis", "tuple", 3, 3)],
        "flip": [],
        "roll": [],
        "mean": [said.format("axis", "()", 3, 3)],
        "add": [],
    }


def test_a_value_that_has_the_dtype_of_an_array_of_the_function_is_a_slip() -> None:
    found = mapped("sin", lambda x: NumpyTape.ops["add"](NumpyTape.ops["sin"](x), np.asarray(0.0)))
    (slip,) = found.slips
    assert (slip.message, slip.dtype) == (
        "the value has dtype float64, the reference value float32",
        "float32",
    )
    assert "does the function make an array itself" in slip.explanation
    known = KnownFailure(
        id="mine/op/sin/value/float32", reason="wide", says="the value has dtype float64, *", kind="fault"
    )
    backend = SaysTooMuch()
    assert reason_known(found, backend, [known]) == "wide"
    others = [
        msgspec.structs.replace(known, says="the value differs *"),
        msgspec.structs.replace(known, id="mine/op/sin/value/float64"),
    ]
    assert not any(reason_known(found, backend, [other]) for other in others)
    assert not mapped("sin", NumpyTape.ops["sin"]).slips


class FloatsAlone(NumpyTape):
    """Has no arrays of integers, nor of truth values, and says so as it may."""

    def array(self, value: Any) -> Any:
        if value.dtype.kind in "iub":
            raise Unsupported(f"there are no arrays of {value.dtype}")
        return super().array(value)


class FloatsForTruthValues(FloatsAlone):
    """Makes numbers of truth values."""

    def array(self, value: Any) -> Any:
        return super().array(value.astype("float64") if value.dtype == bool else value)


def test_an_engine_without_integers_or_truth_values_is_not_one_that_casts_them() -> None:
    """The first is not asked what they do; the second contradicts the claim."""
    claim = "integers and truth values go in and come out"
    (question,) = (q for q in questions(FloatsAlone()) if q.claim == claim)
    assert try_question(question, FloatsAlone()) == ""
    assert kinds_not_taken(FloatsAlone()) == {d: f"there are no arrays of {d}" for d in ("int64", "bool")}
    assert "bool came back as float64" in try_question(question, FloatsForTruthValues())
    assert list(kinds_not_taken(FloatsForTruthValues())) == ["int64"]
    assert kinds_not_taken(NumpyTape()) == {}
    assert "raise Unsupported" in question.hint


@pytest.mark.parametrize(
    "claim",
    ["each output of several has its own cotangent", "an operand that is returned as it is has its gradient"],
)
def test_an_engine_that_replaces_gradients_is_pointed_to_its_convention(claim: str) -> None:
    (question,) = (q for q in questions(NumpyTape()) if q.claim == claim)
    assert 'conventions = {"B3": "replaces"}' in question.hint
