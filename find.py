import sys, numpy as np, warnings

warnings.simplefilter("ignore")
from conformance.ops import CATALOGUE
from conformance.oracle.proof import prove
from conformance.run.proofs import EFFORT
from conformance.strategies import draw_cases

for name, op in CATALOGUE.items():
    try:
        cases = draw_cases(op, "complex64", 0, EFFORT)
        kinds = {z.dtype.name for c in cases for z in c.cotangents}
        p = prove(op, cases)
        print(name, "OK" if p.holds else "--", f"{p.error:.1e}", p.oracle, kinds, flush=True)
    except Exception as e:
        print(name, "XX", type(e).__name__, str(e)[:80], flush=True)
