"""What words mean: those in the table of a run, one sentence per verdict and column, and the lines of a failure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.runfile.records import Verdict

if TYPE_CHECKING:
    from conformance.cli.console import Page

PAGE, FAILURE = "verdicts", "failure"
TABLE = {
    Verdict.PASS.value: "every case passed",
    Verdict.FIXED.value: "it is listed among the known failures, but passes: take it out of the list",
    Verdict.KNOWN.value: "it fails, and the file of known failures lists it with a reason; it is still a failure of the engine",
    Verdict.UNDECIDED.value: "no case was found in which a wrong answer would have failed; it counts neither for nor against the engine",
    Verdict.UNSUPPORTED.value: "the engine does not offer this, such as an op that it lacks; it counts neither for nor against it",
    Verdict.INTERRUPTED.value: "there is no answer: its process was killed from outside, twice, or expected numbers took too long, or others about its subject had none in time; --resume asks again",
    Verdict.INTERNAL_ERROR.value: "this project is wrong; it never counts against the engine, and the run exits with 3, whatever else failed",
    Verdict.ADAPTER_ERROR.value: "the adapter is wrong; it never counts against the engine, and the run exits with 1, as for a failure",
    Verdict.FAIL.value: "the engine answered, and the answer is wrong or breaks the rule that is checked",
    Verdict.ERROR.value: "the engine raised an exception",
    Verdict.TIMEOUT.value: "the engine did not return in time",
    Verdict.CRASH.value: "the engine ended its process",
    "of": "how many checks were run on the backend",
    "cases": "how many concrete calls decided them",
    "not deciding": "further cases, in which a wrong answer would have passed as well; they prove nothing",
}
LINES = {
    "call": "the call that fails, after it was made as small as it could be: the op, the operands' shapes, parameters, dtype; "
    "where a check makes a larger call of such a case, that stands before it",
    "values": "the numbers of that call, where they are few: its operands, then what is handed to the gradient of each output",
    "at": "the entry that is furthest out, measured by what is allowed there, with what was got and what is expected",
    "pattern": "what the wrong numbers are beside the expected ones, where that has a name, such as a multiple of them or other places",
    "allowed": "the error that is allowed at that entry, and its parts: what the textbook rule loses in that precision when its "
    "operands change by one unit in the last place; it is derived for each case, and no tolerance is chosen",
    "case": "why a smaller case may exist",
    "fault": "who is wrong by the diagnostics: the engine, the adapter or this project's rule",
    "diagnostic": "what was found about that entry without the rule: by conditioning, by differences of the reference and of the "
    "engine's own values, by its forward mode; and with whom it agrees",
    "step": "which of the check's calls was answered by an exception: what the loops around it ran through, and its line",
    "raised": "the lines of the adapter and of the engine at which an exception was raised",
    "claim": "what the check asked: the sentence that `conformance list checks` has for it",
    "clause": "the sentence of the standard that does not hold; conformance explain shows it with its checks",
    "again": "the command that asks the same case again; with --script it prints the case in the engine's own API, without this project",
}
PAGES = {PAGE: ("the words in the table of a run", TABLE), FAILURE: ("the lines of a failure", LINES)}
WORDS = {**TABLE, **LINES, **dict.fromkeys(PAGES, "")}


def explain_words(name: str, page: Page) -> None:
    """The meaning of one word, or of all of a page."""
    if name not in PAGES:
        page.title(name)
        page.text(f"{WORDS[name][0].upper()}{WORDS[name][1:]}.")
        return
    title, words = PAGES[name]
    page.title(title)
    for word, meaning in words.items():
        page.text(f"{word}: {meaning}.")
