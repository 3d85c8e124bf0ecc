"""Conversations: who may ask and answer, and how long things wait."""

from pathlib import Path

from pydantic import Field

from bot.settings.choices import InSharedChannels, MayAdd, MayAnswer
from bot.settings.variables import MOST_DAYS, MOST_SECONDS, Variables
from graph.state import PresetName
from graph.turn import Mode


class ConversationVariables(Variables):
    """The variables of conversations."""

    workspace: str = Field(
        default="default",
        min_length=1,
        description="The name under which documents and conversations are kept apart.",
    )
    data_folder: Path | None = Field(
        default=None,
        description="Where the embedded database lives; by default in `.askback`, or for root in a system folder.",
    )
    mode: Mode = Field(
        default="conversational",
        description="`conversational`: each thread has a memory. `stateless`: each message stands alone, and Askback"
        " never asks back.",
    )
    preset: PresetName = Field(
        default="balanced",
        description="How much work an answer gets: `quick` (1 search, up to 3 model calls; the small model"
        " writes, none validates),"
        " `balanced` (2, 4) or `thorough` (4, 10). A channel or a question (“quickly: …”) may override it.",
    )
    may_answer: MayAnswer = Field(
        default="anyone",
        description="Who may answer a question back, and stop an answer by reaction. A channel may override it.",
    )
    may_add: MayAdd = Field(
        default="anyone",
        description="Who may add a message to knowledge, for the members of its channel: every member of the workspace"
        " who is there, only reviewers, or nobody.",
    )
    answer_guests: bool = Field(
        default=False,
        description="Whether guests of the workspace may ask and press buttons. They read only what is shared with"
        " guests.",
    )
    read_other_companies: bool = Field(
        default=False,
        description="Whether a question in a shared channel's thread is understood with earlier messages of other"
        " companies' people. Their words then go to the models.",
    )
    in_shared_channels: InSharedChannels = Field(
        default="private",
        description="How your people get answers in a channel that another company reads: in a direct message, or not"
        " at all.",
    )
    untagged_after_seconds: float = Field(
        default=120.0,
        ge=0,
        le=600,
        description="In a channel whose mode is not “Mentions only”: seconds that people have to answer a question"
        " without a mention before Askback looks at it.",
    )
    follow_ups: bool = Field(
        default=True,
        description="Whether an answer offers up to two further questions as buttons, made from headings of the"
        " documents that it cites.",
    )
    search_messages: bool = Field(
        default=True,
        description="With a language model: whether it may search what people wrote in public channels, by Slack's own"
        " search and in the asker's name. What is found is used for one answer and not stored.",
    )
    read_profiles: bool = Field(
        default=True,
        description="Whether Askback reads who asks from their Slack profile: time zone, title, office, team and"
        " department. A language model is told, and a question that differs by office is answered for the asker's own.",
    )
    remind_after_seconds: float = Field(
        default=4 * 3600,
        gt=0,
        le=MOST_SECONDS,
        description="How long a question back waits before its asker is reminded, once.",
    )
    expire_after_seconds: float = Field(
        default=24 * 3600,
        gt=0,
        le=MOST_SECONDS,
        description="How long a question back waits before the likeliest reading is answered.",
    )
    change_within_days: float = Field(
        default=7,
        ge=0,
        le=MOST_DAYS,
        description="Days in which people may change a choice; 0: a choice is final.",
    )
    remember_choices_days: float = Field(
        default=180,
        ge=0,
        le=MOST_DAYS,
        description="Days for which a person's choice is assumed if the same readings compete again; 0: never.",
    )
    prune_after_hours: float = Field(
        default=1,
        ge=0,
        le=24 * MOST_DAYS,
        description="Hours of quiet after which a thread's old checkpoints are deleted. Its memory stays.",
    )
    keep_runs_days: float = Field(
        default=30,
        ge=0,
        le=MOST_DAYS,
        description="Days for which `askback runs` can show the steps of a run; 0: steps are not stored.",
    )
