"""What answers and failures look like: Block Kit, made of plain values."""

from collections.abc import Iterator, Sequence
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
"""Characters of notes, doubts and sources, so that they and what else stands there leave a part of the answer its room.
"""

_NOTE: Final = 300
_MOST_NOTES: Final = 4
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
    return [*_small_print(view, view.ending), *_buttons(view, view.ending)]


def _small_print(view: View, answer: AnswerCompleted) -> Iterator[Block]:
    if view.clicked:
        yield context(f"<@{view.asker}> asked: {escaped(view.clicked, limit=_READING)}")
    if view.banner:
        yield _banner(view.banner, answer.recalled)
    notes = [escaped(note, limit=_NOTE) for note in answer.notes[:_MOST_NOTES]]
    doubts = [escaped(doubt, limit=_NOTE) for doubt in doubts_of(answer.sources)[:_MOST_DOUBTS]]
    yield from map(context, notes)
    if answer.sources:
        lines = "\n".join(map(source_line, answer.sources))
        yield context(whole_lines(lines, limit=_SOURCES_LIMIT - sum(map(len, [*notes, *doubts]))))
    yield from map(context, doubts)
    if answer.reviewer:
        yield context(f"Reviewed by <@{answer.reviewer}>")


def _buttons(view: View, answer: AnswerCompleted) -> Iterator[Block]:
    if answer.outcome in ("answered", "admitted"):
        yield _feedback(answer)
    if answer.has_wish:
        yield actions(button("It is part of the question", buttons.DENY_WISH, "question"))
    if answer.packet:
        yield actions(button("Ask a human", buttons.ASK_HUMAN, "answer"))
    if offers := [] if answer.reviewer else _follow_ups(answer.follow_ups):
        yield actions(*offers)
    if shares := _shares(view, answer) if answer.outcome == "answered" else []:
        yield actions(*shares)


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
    if not banner.by:
        return changeable_text(escaped(recalled or banner.label, limit=_READING), banner.changeable)
    instead = f" instead of *{escaped(banner.instead_of, limit=_READING)}*" if banner.instead_of else ""
    revised = f"Revised: *{escaped(banner.label, limit=_READING)}*{instead}, chosen by <@{banner.by}>."
    return changeable_text(revised, banner.changeable)


def _follow_ups(questions: Sequence[str]) -> list[Block]:
    """Return the buttons of questions to ask next."""
    # A button's value is sent as it is, so it may hold only what people may see.
    shown = [question for question in questions if question == plain(question, limit=LABEL_LIMIT)]
    return [
        button(label_of(question), f"{buttons.FOLLOW_UP}:{place}", question) | {"accessibility_label": question}
        for place, question in enumerate(shown)
    ]


def _shares(view: View, answer: AnswerCompleted) -> list[Block]:
    """Return the buttons that share an answer in the channel of its question, and take it away."""
    # What is of no document has no audience that a click could check.
    is_of_documents = answer.sources and all(in_documents({source["passage_id"]}) for source in answer.sources)
    return [
        *([_share(is_open=bool(view.untagged))] if view.is_shareable and is_of_documents else []),
        *([button("Not for you", buttons.NOT_FOR_YOU, view.untagged)] if view.untagged else []),
    ]


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
