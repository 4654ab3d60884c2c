"""How bad an answer is, as one order: what a comparison of runs calls worse.

The order is of what the engine did, and asks no list: a known failure is as bad as what it failed as. It is another
than that of `causes.Severity`, in which a report shows the failures of one run. There an error that leaves the user
without a gradient stands before a lost digit. Between two runs an error is the lesser evil: whoever gets an error
knows of it, and whoever gets a number trusts it.
"""

from __future__ import annotations

import enum

from conformance.runfile.records import ResultLine, Verdict
from conformance.runfile.severity import Severity, is_failure, severity_of


class Badness(enum.IntEnum):
    """From good to bad; docs/ci.md and the report's compare.js have the same order."""

    PASSES = 0
    NO_ANSWER = 1
    UNSUPPORTED = 2
    OURS = 3
    RAISES = 4
    LOSES_DIGITS = 5
    BREAKS_A_RULE = 6
    DIES = 7
    WRONG_NUMBERS = 8


OF_SEVERITY = {
    Severity.OURS: Badness.OURS,
    Severity.RAISED: Badness.RAISES,
    Severity.DIGITS: Badness.LOSES_DIGITS,
    Severity.CONTRACT: Badness.BREAKS_A_RULE,
    Severity.DIED: Badness.DIES,
    Severity.WRONG: Badness.WRONG_NUMBERS,
}
OF_VERDICT = {
    Verdict.PASS: Badness.PASSES,
    Verdict.FIXED: Badness.PASSES,
    Verdict.UNDECIDED: Badness.NO_ANSWER,
    Verdict.INTERRUPTED: Badness.NO_ANSWER,
    Verdict.UNSUPPORTED: Badness.UNSUPPORTED,
}


def badness_of(result: ResultLine) -> Badness:
    """How bad what the engine did is, whether or not that is listed as known."""
    return OF_SEVERITY[severity_of(result)] if is_failure(result) else OF_VERDICT[result.verdict]
