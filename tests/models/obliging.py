"""A script for the local server that answers every prompt of ours well, at once."""

import re
from typing import Any

from tests.models.groq_server import Reply, Says, answers

CLEAR: dict[str, Any] = {
    "route": "retrieve",
    "confidence": 0.9,
    "reason": "A question for a fact.",
    "standalone": "",
    "subquestions": [],
    "queries": [],
    "clarification": {"question": "", "options": []},
    "assumption": "",
    "reply": "",
    "tools": [],
}
"""The form of `understand` for a clear question."""
_FIRST_PASSAGE = re.compile(r"<passage 1 (\w+)>\n.*?\n\n(.*?)\n</passage 1 \1>", re.DOTALL)
_SENTENCE = re.compile(r"[^.!?\n]+")


def oblige(request: dict[str, Any]) -> Reply:
    """Retrieve for every question, answer with the first sentence of the first passage, find no fault."""
    match request.get("response_format"):
        case {"json_schema": {"name": "understand"}}:
            return reading()
        case {"json_schema": {"name": "validate"}}:
            return judged()
        case _:
            return Says(f"EVIDENCE: full\n{_quoted(request['messages'][-1]['content'])}")


def may_ask_back(request: dict[str, Any]) -> bool:
    """Tell whether a request allows a question back."""
    return "You may ask back." in request["messages"][-1]["content"]


def reading(**parts: Any) -> Says:
    """Make the form of `understand` for a clear question."""
    return answers(**CLEAR | parts)


def judged(*verdicts: str, reason: str = "It says so.", **parts: Any) -> Says:
    """Make the form of `validate`: a verdict for each sentence, by default supported."""
    sentences = [
        {"number": number, "reason": reason, "evidence": "", "verdict": verdict}
        for number, verdict in enumerate(verdicts or ["supported"], start=1)
    ]
    return answers(**{"sentences": sentences, "missing": "", "answers": "yes"} | parts)


def _quoted(prompt: str) -> str:
    passage = _FIRST_PASSAGE.search(prompt)
    sentence = _SENTENCE.search(passage[2]) if passage else None
    return f"{sentence[0].strip()}. [1]" if sentence else "The documents do not say."
