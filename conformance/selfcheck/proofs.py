"""The proof table: every row of the catalogue proven over drawn cases, on several cores.

It runs no engine, so it is written into a run file of its own, or beside results.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from conformance.op import Trait
from conformance.ops import find
from conformance.oracle.proof import Proof, prove
from conformance.run.plan import header_of
from conformance.run.process.spawned import pool_of
from conformance.runfile.records import EndLine, ProofLine
from conformance.runfile.writer import RunWriter
from conformance.strategies import Effort, draw_cases

EFFORT = Effort(signatures=12, draws=2, samples=0, programs=0)
# Operands of few bits: the steps of an oracle are then exact also where a reference rounds to double.
DTYPE = "float32"
COMPLEX_DTYPE = "complex64"
# The numbers differ and not the arrangements, which are proven over real ones.
COMPLEX_EFFORT = Effort(signatures=4, draws=2, samples=0, programs=0)


def prove_row(name: str, seed: int = 0, effort: Effort = EFFORT) -> Proof:
    """The proof of one row over the cases of a seed; of a holomorphic one over complex cases too."""
    op = find(name)
    cases = draw_cases(op, DTYPE, seed, effort)
    if Trait.HOLOMORPHIC in op.traits:
        cases += draw_cases(op, COMPLEX_DTYPE, seed, COMPLEX_EFFORT)
    return prove(op, cases)


def prove_rows(names: Sequence[str], workers: int = 0) -> Iterator[Proof]:
    """The proofs of several rows in their order, each as soon as it is there."""
    count = min(workers or os.cpu_count() or 1, len(names))
    if count < 2 or len(names) < 8:  # a process takes longer to start than a few proofs
        yield from map(prove_row, names)
        return
    with pool_of(count) as pool:
        yield from pool.map(prove_row, names, chunksize=2)


def line_of(proof: Proof) -> ProofLine:
    """A proof as a line of the run file, which has no word for infinity."""
    return ProofLine(proof.op, proof.oracle, min(proof.error, sys.float_info.max), proof.cases)


def write_proofs(path: Path, proofs: Iterator[Proof], report: Callable[[Proof], None]) -> bool:
    """Write a run file of proofs alone, line by line; returns whether all of them hold."""
    started = time.perf_counter()
    path.parent.mkdir(parents=True, exist_ok=True)
    writer = RunWriter(path, header_of("proofs", 0))
    all_hold = True
    try:
        for proof in proofs:
            writer.write(line_of(proof))
            all_hold = all_hold and proof.holds
            report(proof)
        writer.write(EndLine(True, {}, time.perf_counter() - started, 0 if all_hold else 1))
    finally:
        writer.close()
    return all_hold
