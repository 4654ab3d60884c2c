"""One claim of smoke, asked of a backend."""

from __future__ import annotations

from conformance.backend import Backend
from conformance.run.smoke import questions, try_question


def answer_of(backend: Backend, claim: str) -> str:
    """What contradicts a claim."""
    (question,) = (q for q in questions(backend) if q.claim == claim)
    return try_question(question, backend)
