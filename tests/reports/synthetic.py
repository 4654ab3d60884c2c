"""Runs made up for the tests of the reports: every verdict, every kind of line, hostile names."""

from __future__ import annotations

import random
from typing import Any

from msgspec import structs

from conformance.runfile.accuracy import Accuracy
from conformance.runfile.diagnostics import Agreement, Diagnostic
from conformance.runfile.jsonl import SCHEMA, Damage, DamageKind, Run
from conformance.runfile.records import (
    BackendLine,
    EndLine,
    Evidence,
    MutantLine,
    ProofLine,
    ResultLine,
    RunLine,
    SpecLine,
    TimingLine,
    Verdict,
)

BACKENDS = ("tape", "slate", "slate.jit", "mini")
OPS = (
    "add",
    "matmul",
    "tanh",
    "atan2",
    "logsumexp",
    "sort",
    "conv2d",
    "norm",
    "clip",
    "where",
    "exp",
    "softmax",
)
DTYPES = ("float64", "float32")
CHECKS = (("vjp", "E1"), ("shape", "A6"), ("linearity", "A8"), ("layout", "D10"))
CAPABILITIES = ("float32", "higher_order")
CLAUSES = (
    ("A2", "non_scalar_backward_is_refused"),
    ("B1", "fan_out_is_summed"),
    ("D3", "stale_value_is_refused"),
)

HOSTILE = (
    "<script>alert(1)</script>",
    "</script><script>window.harmed = 1</script>",
    '"><img src=x onerror="window.harmed=1">',
    'it\'s "quoted" & `ticked` | piped {{ 7 * 7 }}',
    "javascript:window.harmed=1",
    "right\u202eot left\u202c and\u0000null \u200b",
    "long" * 2500,
)

ACCURACY = Accuracy(
    (7, 1, 0, 2, 4, 0, 3, 0, 0, 2, 0), 0.25, 0.9, "the gradient of operand 1 at [0, 2]", "c1:77aa9f2e"
)
INEXACT = Accuracy((0, 0, 0, 0, 0, 0, 0, 0, 0, 9, 3), 3.5, None, "the gradient of operand 0", "c1:9f2e77aa")

SCRIPT = """import slate

x = slate.array([1.0, 2.0], grad=True)
slate.atan2(x, x).backward([1.0, -1.0])
print(x.grad)
"""


def header(name: str = "synthetic", backends: tuple[str, ...] = BACKENDS) -> RunLine:
    """A header naming the backends."""
    return RunLine(
        schema=SCHEMA,
        id=name,
        started="2026-05-04T12:00:00Z",
        profile="quick",
        seed=7,
        spec=SpecLine("0.1", "5e1f0c"),
        host={"system": "Linux 6.1", "processor": "2 cores", "python": "3.11.2", "numpy": "2.4.0"},
        backends=tuple(
            BackendLine(
                backend,
                backend.split(".")[0],
                "1.4.2",
                mode="compiled" if backend.endswith("jit") else "eager",
                capabilities=CAPABILITIES[1:] if backend == "mini" else CAPABILITIES,
                conventions={
                    "A2": "summed" if backend.startswith("slate") else "refused",
                    "B3": "accumulates",
                    "abs at 0": "0",
                },
            )
            for backend in backends
        ),
    )


def evidence(subject: str, **changes: Any) -> Evidence:
    """A gradient that is off in two entries of six, one of them not a number."""
    fields: dict[str, Any] = {
        "message": f"gradient of operand 1 of {subject} differs from the reference VJP\n  at [0, 2]: got 0.5",
        "case": {
            "op": subject,
            "operands": [[[1.0, 2.0, 3.5], [-1.25, "inf", 0.0]], [[0.5, 1.5, 1e-7], [2.0, 1.0, -4.0]]],
            "parameters": {"axis": -1, "keepdims": False},
            "cotangent": [[[1.0, -1.0, 0.5], [2.0, 0.25, 1.0]]],
            "dtype": "float64",
        },
        "expected": [[0.25, 1.0, -0.5], [0.125, 0.0, "nan"]],
        "got": [[0.25, 1.0 + 1e-12, 0.5], [0.125 + 2e-12, "nan", "nan"]],
        "allowed": [[3e-12, 3e-12, 3e-12], [1e-12, 1e-12, 1e-12]],
        "where": "[0, 2]",
        "because": "3 times the 9e-13 by which rounding changes the textbook rule, and 1 ulp of 3e-13 for its own rounding",
        "fault": "engine wrong",
        "diagnostics": (
            Diagnostic("complex step", "the reference's slope is -0.5 ± 1e-19", Agreement.RULE),
            Diagnostic("engine's differences", "the engine raised ValueError beside the case"),
        ),
        "token": "c1:9f2e77aa",
        "script": SCRIPT,
    }
    return Evidence(**{**fields, **changes})


def result(backend: str, subject: str, check: str, **changes: Any) -> ResultLine:
    """One passing result of an op, but for what is changed."""
    fields: dict[str, Any] = {
        "id": f"{backend}/{changes.get('kind', 'op')}/{subject}/{check}/{changes.get('dtype', 'float64')}",
        "backend": backend,
        "kind": "op",
        "subject": subject,
        "check": check,
        "clause": "E1",
        "level": "must",
        "dtype": "float64",
        "verdict": Verdict.PASS,
        "cases": 24,
        "seconds": 0.0125,
    }
    return ResultLine(**{**fields, **changes})


def _fate(backend: str, op: str, check: str, dtype: str) -> dict[str, Any]:
    """What befalls one question: mostly nothing, but every verdict somewhere."""
    fates: dict[tuple[str, str, str], tuple[Verdict, dict[str, Any]]] = {
        ("slate", "atan2", "vjp"): (Verdict.FAIL, {}),
        ("slate.jit", "atan2", "vjp"): (Verdict.FAIL, {}),
        ("slate", "sort", "layout"): (Verdict.ERROR, {"message": "TypeError: cannot sort a reversed view"}),
        ("slate.jit", "sort", "layout"): (Verdict.CRASH, {"message": "the worker died with signal 11"}),
        ("slate.jit", "conv2d", "vjp"): (Verdict.TIMEOUT, {"message": "no answer within 60 s"}),
        ("tape", "norm", "vjp"): (
            Verdict.KNOWN,
            {"reason": "nan at the origin", "link": "https://example.org/tape/12"},
        ),
        ("tape", "clip", "vjp"): (Verdict.FIXED, {"reason": "bound counted twice", "message": "passes now"}),
        ("slate", "where", "shape"): (Verdict.ADAPTER_ERROR, {"message": "the adapter returned None"}),
    }
    if backend == "mini" and op in ("conv2d", "sort", "logsumexp", "softmax"):
        return {"verdict": Verdict.UNSUPPORTED, "cases": 0, "evidence": Evidence(f"mini has no {op}")}
    if backend == "mini" and dtype == "float32":
        return {"verdict": Verdict.UNSUPPORTED, "cases": 0, "evidence": Evidence("mini knows float64 alone")}
    verdict, changes = fates.get((backend, op, check), (Verdict.PASS, {}))
    if verdict is Verdict.PASS:
        return {"error": 0.31, "ulp": 0.5 + len(op)} | ({"accuracy": ACCURACY} if check == "vjp" else {})
    bare: dict[str, Any] = dict.fromkeys(("expected", "got", "allowed")) if changes else {}
    bare |= {"because": "", "fault": "", "diagnostics": ()} if changes else {}
    return {
        "verdict": verdict,
        "error": 4.1e11,
        "ulp": 2e6,
        "accuracy": INEXACT,
        "evidence": evidence(op, **{**bare, **changes}),
    }


def _kept(backend: str, clause: str) -> dict[str, Any]:
    """One backend does not keep the convention it declares."""
    if (backend, clause) != ("slate.jit", "A2"):
        return {}
    return {
        "verdict": Verdict.KNOWN,
        "evidence": Evidence("refused", reason="declares that it sums, but refuses"),
    }


def small_run() -> Run:
    """Four backends, twelve ops, three clauses; every verdict at least once; complete."""
    results = [
        result(backend, op, check, clause=clause, dtype=dtype, **_fate(backend, op, check, dtype))
        for backend in BACKENDS
        for op in OPS
        for check, clause in CHECKS
        for dtype in DTYPES
    ]
    results += [
        result(
            backend,
            clause,
            check,
            id=f"{backend}/contract/{clause}/{check}",
            kind="contract",
            clause=clause,
            dtype="",
            **_kept(backend, clause),
        )
        for backend in BACKENDS
        for clause, check in CLAUSES
    ]
    results += [
        result(
            backend,
            f"capability {name}",
            name.replace("_", "-"),
            id=f"{backend}/capability/{name.replace('_', '-')}",
            kind="capability",
            clause=f"capability {name}",
            dtype="",
            verdict=Verdict.UNSUPPORTED if (backend, name) == ("mini", "float32") else Verdict.PASS,
        )
        for backend in BACKENDS
        for name in CAPABILITIES
    ]
    run = Run(header(), results, timings(), proofs(), mutants())
    run.end = EndLine(complete=True, counts=run.counts(), seconds=81.5)
    return run


def spotless_run() -> Run:
    """Two results that passed, of which one has an accuracy and none an error."""
    results = [result("tape", "tanh", "vjp", ulp=0.5), result("tape", "tanh", "shape", clause="A6")]
    return Run(header("spotless", ("tape",)), results, [], [], [])


def timings() -> list[TimingLine]:
    """Three workloads at four sizes on three backends; one gradient refused."""
    lines = []
    for w, workload in enumerate(("mlp", "layer_norm", "chain")):
        for s, size in enumerate(("1×4×4×2", "8×16×16×4", "32×64×64×10", "128×256×256×10")):
            for b, backend in enumerate(("tape", "slate", "slate.jit")):
                for what, cost in (("forward", 1.0), ("gradient", 2.6)):
                    median = 2e-5 * cost * (1 + b / 2) * (1 + w) * 3.1 ** (s * (1 + b / 9))
                    numbers: dict[str, Any] = {
                        "median": median,
                        "low": median * 0.93,
                        "high": median * 1.12,
                        "rounds": 30,
                        "ratio": 1.9 + b,
                        "ratio_low": 1.7 + b,
                        "ratio_high": 2.2 + b,
                        "ratio_to_reference": 1.0 + b / 2,
                    }
                    if backend == "slate" and workload == "chain" and what == "gradient":
                        numbers = {"refused": "the gradient is wrong at [0, 2]"}
                    lines.append(TimingLine(workload, size, backend, "float64", what, **numbers))
    return lines


def proofs() -> list[ProofLine]:
    """A proof per op."""
    return [ProofLine(op, "extended precision", 1e-16 * 7**n, 40 + n) for n, op in enumerate(OPS)]


def mutants() -> list[MutantLine]:
    """Three mutants, one of which survives."""
    return [
        MutantLine(
            "forgets_upstream", "does not multiply by the upstream cotangent", ("vjp",), ("vjp", "linearity")
        ),
        MutantLine("keeps_broadcast", "does not sum over broadcast axes", ("shape",), ("shape", "vjp")),
        MutantLine("swaps_axes", "transposes square cotangents", ("layout",), ()),
    ]


def hostile_run() -> Run:
    """A run in which every text an engine or an adapter could choose attacks the reader."""
    backends = HOSTILE[:3]
    verdicts = (Verdict.FAIL, Verdict.KNOWN, Verdict.UNSUPPORTED, Verdict.FIXED, Verdict.CRASH)
    results = []
    for backend in backends:
        for n, text in enumerate(HOSTILE):
            words = dict.fromkeys(
                ("message", "where", "because", "token", "script", "reason", "raised"), text
            )
            said = (Diagnostic(text, text, Agreement.NEITHER),)
            found = evidence(text, **words, link=HOSTILE[4], fault=text, diagnostics=said)
            if n == 5:
                found = evidence(text, case={text: text, "operands": [text]}, expected=text, got=[text])
            names = {"dtype": text, "clause": text, "level": text}
            exact = structs.replace(ACCURACY, where=text, token=text)
            results.append(
                result(backend, text, text, verdict=verdicts[n % 5], accuracy=exact, evidence=found, **names)
            )
    run = Run(header(HOSTILE[1], backends), results, [], [], [])
    run.timings = [
        TimingLine(text, text, backend, "float64", "gradient", median=1e-3, low=9e-4, high=2e-3)
        for backend in backends
        for text in HOSTILE
    ] + [TimingLine(text, "4", backends[0], "float64", "gradient", refused=text) for text in HOSTILE]
    run.proofs = [ProofLine(text, text, 1e-12, 3) for text in HOSTILE]
    run.mutants = [MutantLine(text, text, (text,), ()) for text in HOSTILE]
    run.end = EndLine(
        complete=False, counts=run.counts(), trouble=HOSTILE, left_out=HOSTILE, unexplained=HOSTILE
    )
    run.damage = (Damage(DamageKind.UNREADABLE, HOSTILE[0], 2, HOSTILE[2]),)
    return run


def large_run(results: int = 50_000, failing: float = 0.2) -> Run:
    """As many results as the budget of the page is for; of them `failing` fail, each with evidence of its own."""
    draw = random.Random(7)
    per_op = len(BACKENDS) * 10 * 3
    lines: list[ResultLine] = []
    for n in range(results):
        subject, rest = divmod(n, per_op)
        backend = BACKENDS[rest % len(BACKENDS)]
        check = f"check_{rest // len(BACKENDS) % 10}"
        fate: dict[str, Any] = {"error": draw.random(), "ulp": draw.expovariate(0.3)}
        if n % 3 == 0:  # as many checks as compare values
            fate["accuracy"] = structs.replace(
                ACCURACY, typical=round(draw.random(), 4), worst=round(draw.random() * 9, 3)
            )
        if draw.random() < failing:
            noise = [[draw.gauss(0, 1) for _ in range(4)] for _ in range(3)]
            fate |= {
                "verdict": Verdict.FAIL,
                "evidence": evidence(f"op_{subject}", expected=noise, got=noise[::-1], allowed=1e-12),
            }
        dtype = ("float64", "float32", "float16")[rest // (len(BACKENDS) * 10)]
        lines.append(result(backend, f"op_{subject}", check, dtype=dtype, seconds=draw.random(), **fate))
    run = Run(header("large"), lines, [], [], [])
    run.end = EndLine(complete=True, counts=run.counts())
    return run
