"""What answers and failures look like: Block Kit, made of plain values."""

from collections.abc import Sequence
from typing import Final

from bot.conversation.message_kinds import AssumptionBanner
from bot.slack.blocks.elements import LABEL_LIMIT, Block, actions, button, context, plain_text, section, whole_lines
from bot.slack.blocks.markdown import escaped, linked, plain, safe
from bot.slack.blocks.menus import changeable_text
from bot.slack.blocks.parts import ANSWER_LIMIT, bounded, closing
from bot.slack.blocks.view import View
from bot.slack.payloads import buttons
from graph.answer.evidence import doubts_of
from graph.answer.follow_ups import label_of
from graph.events import AnswerCompleted
from graph.passages import Source
from graph.tools import in_documents

_SOURCES_LIMIT: Final = 2200
"""Characters of notes and sources, so that they and what else stands there leave a part of the answer its room."""

_NOTE: Final = 300
_MOST_DOUBTS: Final = 4

_READING: Final = 300
"""Characters of a reading that are shown."""

_SHARED: Final = (
    "Everybody who reads that channel will read this answer, in your name. It may rest on documents that not all of"
    " them may read. I keep a record of who shared what."
)

_CUT = f"\n\n_The rest is left out: an answer has at most {ANSWER_LIMIT:,} characters._"


def answer_text(view: View) -> str:
    """Return the text as it stands, or the final one, safe to show and without empty lines at its end."""
    text = view.ending.text if isinstance(view.ending, AnswerCompleted) else view.text
    whole = safe(text, links=view.links).rstrip()
    shown = bounded(whole)
    return whole if shown == whole else shown + closing(whole, len(shown)) + _CUT


def closing_blocks(view: View) -> list[Block]:
    """Return what stands below a finished answer's text: notes, sources, and buttons to rate it."""
    if not isinstance(view.ending, AnswerCompleted):
        return []
    notes, sources = view.ending.notes, view.ending.sources
    shown = [escaped(note, limit=_NOTE) for note in notes[:4]]
    lines = "\n".join(source_line(source) for source in sources)
    return [
        *([_clicked(view.asker, view.clicked)] if view.clicked else []),
        *([_banner(view.banner, view.ending.recalled)] if view.banner else []),
        *(context(note) for note in shown),
        *([context(whole_lines(lines, limit=_SOURCES_LIMIT - sum(map(len, shown))))] if lines else []),
        *(context(escaped(doubt, limit=_NOTE)) for doubt in doubts_of(sources)[:_MOST_DOUBTS]),
        *([context(f"Reviewed by <@{view.ending.reviewer}>")] if view.ending.reviewer else []),
        *([_feedback(view.ending)] if view.ending.outcome in ("answered", "admitted") else []),
        *([actions(button("It is part of the question", buttons.DENY_WISH, "question"))] * view.ending.has_wish),
        *([actions(button("Ask a human", buttons.ASK_HUMAN, "answer"))] if view.ending.packet else []),
        *([offers] if not view.ending.reviewer and (offers := _offered(view.ending.follow_ups)) else []),
        *([shares] if view.ending.outcome == "answered" and (shares := _of_another_place(view)) else []),
    ]


def steps_blocks(view: View) -> list[Block]:
    """Return the steps, which stand above an unfinished answer that Slack does not let us stream."""
    done = [f"✓ {escaped(step.title)}" for step in view.steps[:-1]]
    return [context(whole_lines("\n".join([*done, f"… {escaped(view.status)}"])))]


def failure_blocks(reason: str, reference: str) -> list[Block]:
    """Return a plain sentence about what went wrong, what to quote to an administrator, and Retry."""
    return [*dismissal_blocks(reason, reference), actions(button("Retry", buttons.RETRY, reference))]


def dismissal_blocks(reason: str, reference: str) -> list[Block]:
    """Return why there will be no answer, and what to quote to an administrator."""
    return [section(escaped(reason)), context(f"Reference: `{escaped(reference)}`")]


def misplaced_block(channel: str, *, is_shared: bool) -> Block:
    """Return why a person gets in a direct message what belongs elsewhere."""
    if is_shared:
        return context(
            f"This belongs in <#{channel}>. People of another company can read that channel, so I send it to you here."
        )
    return context(f"I could not post this in <#{channel}>, so I send it to you here.")


def source_line(source: Source) -> str:
    """Return a source as mrkdwn: its number, and what people see of it."""
    return f"[{source['number']}] {source_title(source)}"


def source_title(source: Source) -> str:
    """Return what people see of a source, as mrkdwn: title and heading, date, and what to know about it."""
    heading = source["heading"]
    title = f"{source['title']} › {heading}" if heading and heading != source["title"] else source["title"]
    about = source["dated"], source.get("stale"), source.get("recognised")
    said = "".join(f" · {escaped(part)}" for part in about if part)
    return f"{linked(source['url'], title)}{said}"


def _banner(banner: AssumptionBanner, recalled: str) -> Block:
    said = _revised(banner) if banner.by else escaped(recalled or banner.label, limit=_READING)
    return changeable_text(said, banner.changeable)


def _revised(banner: AssumptionBanner) -> str:
    instead = f" instead of *{escaped(banner.instead_of, limit=_READING)}*" if banner.instead_of else ""
    return f"Revised: *{escaped(banner.label, limit=_READING)}*{instead}, chosen by <@{banner.by}>."


def _clicked(asker: str, question: str) -> Block:
    return context(f"<@{asker}> asked: {escaped(question, limit=_READING)}")


def _offered(questions: Sequence[str]) -> Block | None:
    """Return the buttons of questions to ask next; `None` if there are none."""
    # A button's value is sent as it is, so it may hold only what people may see.
    shown = [question for question in questions if question == plain(question, limit=LABEL_LIMIT)]
    elements = [
        {
            **button(label_of(question), f"{buttons.FOLLOW_UP}:{place}", question),
            "accessibility_label": question,
        }
        for place, question in enumerate(shown)
    ]
    return actions(*elements) if elements else None


def _of_another_place(view: View) -> Block | None:
    """Return the buttons that share an answer in the channel of its question, and take it away."""
    sources = view.ending.sources if isinstance(view.ending, AnswerCompleted) else ()
    # What is of no document has no audience that a click could check.
    is_of_documents = bool(sources) and all(in_documents({source["passage_id"]}) for source in sources)
    elements = [
        *([_share(is_open=bool(view.untagged))] if view.is_shareable and is_of_documents else []),
        *([button("Not for you", buttons.NOT_FOR_YOU, view.untagged)] if view.untagged else []),
    ]
    return actions(*elements) if elements else None


def _share(*, is_open: bool) -> Block:
    """Return the button that shares an answer; unless all of the channel may read its documents, it asks again."""
    share = button("Share in the channel", buttons.SHARE, "answer")
    said = {"title": "Share in the channel?", "text": _SHARED, "confirm": "Share", "deny": "Cancel"}
    return share if is_open else {**share, "confirm": {name: plain_text(text) for name, text in said.items()}}


def _feedback(answer: AnswerCompleted) -> Block:
    cited = [source["passage_id"] for source in answer.sources] if answer.outcome == "answered" else []
    ids = [id_ for id_ in cited if in_documents({id_})]
    element = {
        "type": "feedback_buttons",
        "action_id": buttons.FEEDBACK,
        "positive_button": {"text": plain_text("Good answer"), "value": "good"},
        "negative_button": {"text": plain_text("Bad answer"), "value": buttons.disliked_value(ids)},
    }
    return {"type": "context_actions", "elements": [element]}
