"""The same seed draws the same cases, and over many draws everything appears."""

from __future__ import annotations

import importlib
from itertools import islice, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conformance_backends.numpy_backend import NumpyTape
from hypothesis import strategies as st

from conformance.case import Case
from conformance.checks.comparison import hold_within
from conformance.layout import LAYOUTS
from conformance.op import DISTINCT, POSITIVE, UNIT, Domain, OperandKind
from conformance.ops import ALL_OPS, CATALOGUE, find
from conformance.oracle.reverse_sweep import expected_program_gradients, reverse_sweep
from conformance.strategies import Effort, draw_cases, explore, more_cases, smallest_case
from conformance.strategies.cases import LEVELS, Rider
from conformance.strategies.programs import LONGEST, draw_programs, smallest_program
from conformance.values import COTANGENTS, FAR, STRIP, TEXTURES, cotangent, operands

EFFORT = Effort(signatures=4, draws=2, samples=1, programs=1)


def tokens(name: str, seed: int) -> list[str]:
    draw_cases.cache_clear()
    return [case.token for case in draw_cases(find(name), "float64", seed, EFFORT)]


@pytest.mark.parametrize("name", ["tanh", "matmul", "getitem", "softmax"])
def test_a_seed_decides_every_number(name: str) -> None:
    assert tokens(name, 5) == tokens(name, 5)
    assert tokens(name, 5) != tokens(name, 6)


def test_a_loaded_module_changes_no_case(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = list(CATALOGUE)[::4]
    drawn = {name: tokens(name, 0) for name in names}
    (tmp_path / "somebodys_adapter.py").write_text(
        f"NUMBERS = {list(range(200, 60_000, 97))}\n", encoding="utf-8"
    )
    monkeypatch.syspath_prepend(tmp_path)
    importlib.import_module("somebodys_adapter")
    assert {name: tokens(name, 0) for name in names} == drawn


@pytest.mark.parametrize("op", ALL_OPS.values(), ids=lambda op: op.name)
def test_every_op_has_cases_inside_its_domains_and_off_its_kinks(op: Any) -> None:
    cases = draw_cases(op, "float64", 0, EFFORT)
    assert cases
    for case in cases:
        domains = case.domains or tuple(map(op.domain, range(len(case.operands))))
        for x, domain in zip(case.operands, domains, strict=True):
            if domain.kind is OperandKind.REAL:
                assert np.isfinite(x).all()
                assert (x > domain.low).all()
                assert (x < domain.high).all()
                assert all((x != kink).all() for kink in domain.kinks)


@pytest.mark.parametrize("name", ["max", "huber", "tanh", "equal"])
def test_what_is_drawn_is_an_array_without_axes_too(name: str) -> None:
    for dtype in ("float64", "float16", "bfloat16"):
        cases = list(islice(more_cases(find(name), dtype, 0, EFFORT), 120))
        drawn = [x for case in cases for x in (*case.operands, *case.cotangents)]
        assert any(x.shape == () for x in drawn)
        assert all(type(x) is np.ndarray for x in drawn)
        assert {case.token[:3] for case in cases} == {"c1:"}


@pytest.mark.parametrize("name", ["log", "tan", "asin", "divide", "inv", "embedding"])
@pytest.mark.parametrize("dtype", ["complex128", "complex64"])
def test_a_complex_operand_has_its_real_part_in_the_domain_and_its_imaginary_part_in_a_strip(
    name: str, dtype: str
) -> None:
    op = find(name)
    cases = draw_cases(op, dtype, 0, Effort(6, 4, 1, 1))
    numbers = [(op.domain(i), x) for case in cases for i, x in enumerate(case.operands)]
    drawn = [(domain, x) for domain, x in numbers if domain.is_differentiable]
    assert {x.dtype.name for _, x in drawn} == {dtype}
    for domain, x in drawn:
        assert (np.abs(x.imag) < STRIP.high).all()
        assert (x.real > domain.low).all() or domain == POSITIVE  # whose other side is entered beside the cut
        assert (x.real < domain.high).all()
        assert all((x.real != kink).all() for kink in domain.kinks)
    assert any((x.imag != 0).any() for _, x in drawn)
    assert any((g.real < 0).any() and (g.imag < 0).any() for case in cases for g in case.cotangents)


def test_another_dtype_gets_signatures_of_its_own() -> None:
    shapes = [
        [[x.shape for x in case.operands] for case in draw_cases(find("add"), dtype, 2, EFFORT)]
        for dtype in ("float64", "float32")
    ]
    assert shapes[0] != shapes[1]


def test_every_pair_of_what_rides_along_comes_in_49_cases() -> None:
    drawn = [Rider(number, 5) for number in range(LEVELS**2)]
    pairs = {(rider(0, TEXTURES), rider(1, COTANGENTS), rider(2, LAYOUTS)) for rider in drawn}
    for some in ((0, 1), (0, 2), (1, 2)):
        levels = [(TEXTURES, COTANGENTS, LAYOUTS)[i] for i in some]
        assert {tuple(pair[i] for i in some) for pair in pairs} == set(product(*levels))


def test_what_decided_nothing_is_followed_by_other_signatures() -> None:
    op = find("sum")
    drawn = draw_cases(op, "float64", 0, EFFORT)
    more = list(islice(more_cases(op, "float64", 0, EFFORT), 40))
    known = {(x.operands[0].shape, str(x.parameters)) for x in drawn}
    assert len({(x.operands[0].shape, str(x.parameters)) for x in more} - known) > 4


def test_every_layout_appears_over_many_draws() -> None:
    drawn = draw_cases(find("tanh"), "float64", 0, Effort(12, 4, 1, 1)) + draw_cases(
        find("add"), "float64", 0, Effort(12, 4, 1, 1)
    )
    assert {layout for case in drawn for layout in case.layouts} == set(LAYOUTS)


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
@pytest.mark.parametrize("texture", TEXTURES)
def test_distinct_operands_hold_no_value_twice(texture: str, dtype: str) -> None:
    rng = np.random.default_rng(0)
    for _ in range(20):
        x, y = operands([DISTINCT, DISTINCT], [(30, 4), (5,)], dtype, texture, rng)
        together = np.concatenate([x.ravel(), y.ravel()])
        assert len(set(together.tolist())) == together.size


@pytest.mark.parametrize("texture", TEXTURES)
def test_textures_stay_off_kinks_and_inside_the_domain(texture: str) -> None:
    rng = np.random.default_rng(0)
    for domain in (Domain(kinks=(0.0, 1.0)), POSITIVE, Domain(-1.0, 1.0)):
        (x,) = operands([domain], [(200,)], "float64", texture, rng)
        assert (x > domain.low).all()
        assert (x < domain.high).all()
        assert all((np.abs(x - kink) > 1e-3).all() for kink in domain.kinks)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("texture", FAR)
def test_numbers_of_any_magnitude_stay_off_kinks_and_inside_the_domain(texture: str, dtype: str) -> None:
    rng = np.random.default_rng(0)
    for domain in (Domain(kinks=(0.0, 3.0)), POSITIVE, Domain(-1.0, 1.0), Domain(low=-1.0), Domain(low=1.0)):
        for _ in range(30):
            (x,) = operands([domain], [(30,)], dtype, texture, rng)
            assert np.isfinite(x).all()
            assert (x > domain.low).all()
            assert (x < domain.high).all()
            assert all((x != kink).all() for kink in domain.kinks)
            assert (np.abs(x) >= np.finfo(dtype).tiny).all()


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16"])
@pytest.mark.parametrize("kind", [OperandKind.REAL, OperandKind.DISTINCT])
def test_subnormal_numbers_are_inside_the_domain_and_distinct(kind: OperandKind, dtype: str) -> None:
    rng, tiny = np.random.default_rng(0), np.finfo(dtype).tiny
    for domain in (Domain(kind=kind), *((POSITIVE, Domain(high=0.0)) if kind is OperandKind.REAL else ())):
        (x,) = operands([domain], [(12,)], dtype, "subnormal", rng)
        assert (x > domain.low).all()
        assert (x < domain.high).all()
        is_subnormal = (x != 0) & (np.abs(x) < tiny)
        assert is_subnormal.any()
        assert len(set(x.tolist())) == x.size or kind is OperandKind.REAL


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_a_thousand_of_the_largest_cotangents_add_up(dtype: str) -> None:
    g = cotangent((1024,), dtype, "largest", np.random.default_rng(0)).astype(np.longdouble)
    assert np.abs(g).sum() < np.finfo(dtype).max
    assert np.abs(g).max() ** 2 > np.finfo(dtype).max


@pytest.mark.parametrize(
    "kind", [OperandKind.REAL, OperandKind.DISTINCT, OperandKind.INVERTIBLE, OperandKind.POSITIVE_DEFINITE]
)
@pytest.mark.parametrize(("dtype", "far"), [("float64", 900), ("float32", 100)])
def test_magnitudes_reach_to_both_ends_of_a_type(dtype: str, far: int, kind: OperandKind) -> None:
    rng = np.random.default_rng(0)
    drawn = [operands([Domain(kind=kind)], [(2, 2)], dtype, "scaled", rng)[0] for _ in range(400)]
    exponents = [np.log2(np.abs(x).max()) for x in drawn]
    assert min(exponents) < -far
    assert max(exponents) > far
    assert sum(-20 < e < 20 for e in exponents) > 60  # where tails begin
    assert all(np.abs(x).max() < 2 * np.abs(x).min() for x in drawn) or kind is not OperandKind.REAL


def test_an_array_is_scaled_as_one_and_swept_entry_by_entry() -> None:
    rng = np.random.default_rng(0)
    (swept,) = operands([Domain()], [(50,)], "float64", "swept", rng)
    assert np.ptp(np.log2(np.abs(swept))) > 500
    assert {-1.0, 1.0} == set(np.sign(swept))
    (scaled,) = operands([Domain()], [(50,)], "float64", "scaled", rng)
    assert np.ptp(np.log2(np.abs(scaled))) < 1
    assert {-1.0, 1.0} == set(np.sign(scaled))


def test_magnitudes_come_close_to_the_ends_and_the_kinks_of_a_domain() -> None:
    (x,) = operands([Domain(low=-1.0, kinks=(2.0,))], [(900,)], "float64", "swept", np.random.default_rng(0))
    for place in (-1.0, 0.0, 2.0):
        assert (np.abs(x - place) < 1e-12).any()
    assert ((x < 2) & (x > 2 - 1e-9)).any()
    assert ((x > 2) & (x < 2 + 1e-9)).any()


def test_no_magnitude_in_half_precision_rounds_to_another_kink() -> None:
    for seed in range(100):
        domain, rng = Domain(kinks=(-2.0, 1.0)), np.random.default_rng(seed)
        (x,) = operands([domain], [(64,)], "float16", "swept", rng)
        assert not np.isin(x.astype(float), domain.kinks).any()


def test_textures_are_what_they_are_called() -> None:
    def drawn(texture: str) -> Any:
        return operands([Domain()], [(400,)], "float64", texture, np.random.default_rng(0))[0]

    assert (drawn("round") * 8 == np.round(drawn("round") * 8)).all()
    assert (drawn("full") * 8 != np.round(drawn("full") * 8)).mean() > 0.9
    assert (drawn("zeros") == 0).mean() > 0.3
    assert np.abs(drawn("wide")).max() > 3 >= np.abs(drawn("round")).max()


def test_cotangents_are_what_they_are_called() -> None:
    drawn = {t: cotangent((50,), "float64", t, np.random.default_rng(1)) for t in COTANGENTS}
    assert (drawn["signed"] != 0).all()
    assert len(set(np.sign(drawn["signed"]))) == 2
    assert np.count_nonzero(drawn["one-hot"]) == 1
    assert 5 < np.count_nonzero(drawn["sparse"]) < 45
    assert np.abs(drawn["large"]).min() >= 2.0**18
    assert len(set(drawn["constant"])) == 1
    assert all(cotangent((), "float32", t, np.random.default_rng(1)).shape == () for t in COTANGENTS)
    assert all(cotangent((0, 2), "float32", t, np.random.default_rng(1)).size == 0 for t in COTANGENTS)


# ---- shrinking -------------------------------------------------------------------------------------


def test_shrinking_finds_the_smallest_example() -> None:
    numbers = st.lists(st.integers(0, 1000))
    found = explore.shrink(numbers, lambda xs: any(x >= 100 for x in xs), seed=0, examples=100)
    assert found == [100]


def test_shrinking_what_never_fails_finds_nothing() -> None:
    assert explore.shrink(st.integers(), lambda x: False, seed=0, examples=10) is None


def test_a_failing_case_is_made_small() -> None:
    op = find("matmul")

    def is_failing(case: Case) -> bool:
        return case.operands[0].ndim >= 2

    failed = max(draw_cases(op, "float64", 0, EFFORT), key=lambda c: c.operands[0].size)
    small = smallest_case(op, failed, is_failing)
    assert small is not None
    assert is_failing(small)
    assert small.operands[0].size <= failed.operands[0].size
    assert set(small.layouts) == {"C"}


def test_a_failing_program_is_made_small() -> None:
    def uses_sin(program: Any) -> bool:
        return any(step.op == "sin" for step in program.steps)

    small = smallest_program(find, "float64", 0, 30, uses_sin)
    assert small is not None
    assert len(small.steps) <= 3
    assert uses_sin(small)


# ---- programs ----------------------------------------------------------------------------------------


def test_programs_run_in_range_and_are_of_every_length() -> None:
    drawn = draw_programs(find, "float64", 0, 40)
    assert 1 <= min(len(p.steps) for p in drawn) <= 4
    assert 15 <= max(len(p.steps) for p in drawn) <= LONGEST
    for program in drawn:
        values = program.run(
            lambda name, fixed: lambda *xs: find(name).reference(*xs, **fixed), program.leaves
        )
        assert len(values) == len(program.leaves) + len(program.steps)
        assert np.shape(values[-1]) == program.cotangent.shape
        assert all(np.abs(v).max(initial=0.0) <= 100 for v in values)
        assert all(max(s.inputs) < len(program.leaves) + n for n, s in enumerate(program.steps))


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_the_reverse_sweep_and_the_reference_engine_agree(dtype: str) -> None:
    """To rounding: where a value receives three contributions, each adds them up in an order of its own."""
    backend = NumpyTape()
    for program in draw_programs(find, dtype, 4, 25):
        leaves = [
            (backend.leaf if i in program.variables else backend.array)(np.array(x))
            for i, x in enumerate(program.leaves)
        ]
        output = program.run(backend.call, leaves)[-1]
        backend.backward(output, backend.array(program.cotangent))
        expected = expected_program_gradients(program, find)
        for i, of_leaf in zip(program.variables, expected, strict=True):
            hold_within(leaves[i].grad, of_leaf, program.token)


def test_the_sweep_is_within_its_own_allowance() -> None:
    for program in draw_programs(find, "float32", 4, 5):
        swept = reverse_sweep(program, find, (*program.leaves, program.cotangent))
        expectations = expected_program_gradients(program, find)
        for i, expected in zip(program.variables, expectations, strict=True):
            got = swept[i]
            assert (np.abs(got - expected.exact) <= expected.allowed).all()


def test_wide_complex_numbers_lie_on_both_sides_of_the_cut_of_what_takes_positive_ones() -> None:
    (x,) = operands([POSITIVE], [(500,)], "complex128", "wide", np.random.default_rng(0))
    assert 0.2 < (x.real < 0).mean() < 0.8
    assert (np.abs(x.imag[x.real < 0]) > 0.1).all()
    (y,) = operands([UNIT], [(500,)], "complex128", "wide", np.random.default_rng(0))
    assert (np.abs(y.real) < 1).all()
