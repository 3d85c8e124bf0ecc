"""Shows a run for which nobody called the bot: the whole answer at once, or nothing."""

from bot.slack.presenter.presenter import AnswerPresenter
from graph.events import AnswerCompleted, AnswerEvent, SilenceKept


class HeldPresenter(AnswerPresenter):
    """Shows no status, draft or failure. An edit may have left an earlier answer, which is then deleted."""

    async def show(self, event: AnswerEvent) -> None:
        """Show a whole answer; keep silent at the end of any other run."""
        if isinstance(event, AnswerCompleted) and not event.is_whole:
            event = SilenceKept(reason="The documents answer a part.")
        if isinstance(event, (AnswerCompleted, SilenceKept)):
            await super().show(event)

    async def dismiss(self, reason: str) -> None:
        """Say nothing."""
        await super().show(SilenceKept(reason=reason))

    async def fail(self, reason: str) -> None:
        """Say nothing."""
        await self.dismiss(reason)
