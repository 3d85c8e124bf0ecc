"""What the card of a channel's mode looks like, and what goes with a shared answer (pure)."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Final

from bot.slack.blocks.elements import Block, actions, button, context, first_of, moment, section, whole_lines
from bot.slack.blocks.markdown import escaped, linked
from bot.slack.channel_modes.modes import MOST_A_DAY, SHADOW, ChannelMode, Mode, Noted
from bot.slack.payloads import buttons

LABELS: Final[dict[Mode, str]] = {
    "mentions": "Mentions only",
    "questions": "Questions",
    "privately": "Privately",
}
_WHAT: Final[dict[Mode, str]] = {
    "mentions": "I answer only people who mention me.",
    "questions": "I also answer questions that mention nobody, if our documents answer all of it.",
    "privately": "I answer questions that mention nobody in a direct message, if our documents answer all of it."
    " You can share that answer here.",
}
_RULES: Final = (
    f"Without a mention I answer at most {MOST_A_DAY} questions a day, and none that names somebody, is in a thread"
    " or was answered by people. If I am unsure, I ask in a direct message. Two clicks on “Not for you” end this."
)
_MOST_NOTED: Final = 15

ONLY_MEMBERS: Final = "Only full members of this workspace can change how I answer here."
NOT_YET: Final = "The shadow week is not over yet, so I still post nothing. This card will have a button then."
OUTSIDERS_HERE: Final = (
    "People of another company can read this channel. In such a channel I answer only people who mention me, and in a"
    " direct message, so there is nothing to choose."
)
MUTED: Final = "I am quiet in this thread now. I still answer who mentions me. “unmute”, with a mention, ends this."
UNMUTED: Final = "I read along in this thread again, and answer questions without a mention, too."
ONLY_IN_THREAD: Final = (
    "A thread can be muted from within: reply there with a mention and “mute”. Outside of threads I answer as “mode”,"
    " with a mention, shows."
)
OUT_OF_DATE: Final = "This card is out of date, so nothing has changed. For a new one, write “mode” with a mention."
NOT_KNOWN: Final = "I do not know this answer any more, so I left everything as it is."
REMOVED: Final = "I removed my answer. After a second click of this kind I answer mentions only."


def mode_card(mode: ChannelMode, noted: Sequence[Noted], *, now: datetime) -> list[Block]:
    """Return a channel's card: its mode, what it would have answered in its shadow week, and the buttons."""
    phase = mode.phase(now)
    by = f" <@{mode.changed_by}> chose this." if mode.changed_by else ""
    if mode.is_led_back:
        by = " Two of my answers here were not wanted."
    shown: list[Block] = [section(f"*{LABELS[mode.mode]}*: {_WHAT[mode.mode]}{by}")]
    if phase in ("shadow", "ready"):
        shown += [section(_shadow(mode, noted, is_over=phase == "ready"))]
    buttons_shown = [button(label, f"{buttons.MODE}:{one}", one) for one, label in LABELS.items() if one != mode.mode]
    if phase == "ready":
        buttons_shown = [button("Turn on", f"{buttons.MODE}:on", "on"), *buttons_shown]
    return [*shown, actions(*buttons_shown), context(_RULES)]


def _shadow(mode: ChannelMode, noted: Sequence[Noted], *, is_over: bool) -> str:
    until = moment(mode.since + SHADOW, "{date_short}")
    said = "The shadow week is over" if is_over else f"Until {until} I only watch and post nothing"
    lines = first_of([_line(one) for one in noted], _MOST_NOTED)
    return whole_lines("\n".join([f"{said}. I would have answered {len(noted)}:", *lines]))


def _line(one: Noted) -> str:
    when = moment(datetime.fromtimestamp(float(one.ts), UTC), "{date_short_pretty} {time}")
    is_answer = one.verdict == "answer"
    how = f"from *{escaped(one.document, limit=80)}*" if is_answer else "I would have asked back privately"
    return f"• {when} {linked(one.link, 'question')} – {how}"


def next_showing(mode: ChannelMode, *, now: datetime) -> datetime | None:
    """Return when the card changes by itself: at the end of the shadow week."""
    return mode.since + SHADOW + timedelta(seconds=1) if mode.phase(now) == "shadow" else None
