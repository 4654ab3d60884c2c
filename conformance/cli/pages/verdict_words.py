"""What the words in the table of a run mean: one sentence per verdict, and one per column beside them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.runfile.records import Verdict

if TYPE_CHECKING:
    from conformance.cli.console import Page

PAGE = "verdicts"
WORDS = {
    Verdict.PASS.value: "every case passed",
    Verdict.FIXED.value: "it is listed among the known failures, but passes: take it out of the list",
    Verdict.KNOWN.value: "it fails, and the file of known failures lists it with a reason; it is still a failure of the engine",
    Verdict.UNDECIDED.value: "no case was found in which a wrong answer would have failed; it counts neither for nor against the engine",
    Verdict.UNSUPPORTED.value: "the engine does not offer this, such as an op that it lacks; it counts neither for nor against it",
    Verdict.INTERRUPTED.value: "there is no answer: its process was killed from outside, twice, or others about its subject had none in time; --resume asks again",
    Verdict.INTERNAL_ERROR.value: "this project is wrong; it never counts against the engine",
    Verdict.ADAPTER_ERROR.value: "the adapter is wrong; it never counts against the engine",
    Verdict.FAIL.value: "the engine answered, and the answer is wrong or breaks the rule that is checked",
    Verdict.ERROR.value: "the engine raised an exception",
    Verdict.TIMEOUT.value: "the engine did not return in time",
    Verdict.CRASH.value: "the engine ended its process",
    "of": "how many checks were run on the backend",
    "cases": "how many concrete calls decided them",
    "not deciding": "further cases, in which a wrong answer would have passed as well; they prove nothing",
}


def explain_words(name: str, page: Page) -> None:
    """The meaning of one word, or of all of them."""
    page.title("the words in the table of a run" if name == PAGE else name)
    for word, meaning in WORDS.items():
        if name in (PAGE, word):
            page.text(f"{word}: {meaning}." if name == PAGE else f"{meaning[0].upper()}{meaning[1:]}.")
