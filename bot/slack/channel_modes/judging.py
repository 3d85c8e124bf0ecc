"""Judges an untagged question by dry runs, of which nothing is shown or stored."""

from collections.abc import Callable
from dataclasses import dataclass

from bot.conversation.address import Address
from bot.conversation.inputs import Message
from bot.slack.channel_modes.modes import UntaggedVerdict
from bot.slack.channel_modes.vetoes import bears, is_promising, is_same_answer, likeliest_choices, verdict
from graph.context import Context
from graph.run import ending_of


@dataclass(frozen=True, kw_only=True)
class Judging:
    """Tells whether the documents answer an untagged question: rules first, then the model, if there is one."""

    context_at: Callable[[Address], Context]
    """Returns the context of a run for an address."""
    without_model: Callable[[Context], Context]
    """Returns a context in which rules do the models' work."""

    async def judge(self, message: Message) -> UntaggedVerdict | None:
        """Return what to do with a message; `None` if the documents do not answer it wholly."""
        question, context = message.turn.question, self.context_at(message.address)
        rules = self.without_model(context)
        by_rules = ended = await ending_of(rules, message.turn)
        if context.has_model and is_promising(by_rules):
            ended = await ending_of(context, message.turn)
        if is_same_answer(ended, by_rules) and not bears(question, ended):
            return None
        # People who talk to each other are asked nothing, unless the documents answer the likeliest readings wholly.
        for choice in likeliest_choices(ended):
            chosen = await ending_of(rules, message.turn, choice)
            if verdict(chosen) is None or not bears(question, chosen):
                return None
        return verdict(ended)
