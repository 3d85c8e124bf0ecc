"""Listeners for the buttons of cards and answers, and for the modals that they open."""

from dataclasses import replace
from hashlib import sha256
from typing import Any, assert_never

import structlog

from bot.conversation.address import Ts, ts_at
from bot.conversation.inputs import AnswerClicked, Change, Click, ClickRefused, Message, Rating
from bot.conversation.intake import Intake
from bot.markup import storable
from bot.slack.blocks import cards
from bot.slack.listeners.access_check import AccessCheck, ButtonTable
from bot.slack.listeners.flag_listeners import FlagListeners
from bot.slack.listeners.verify_listeners import VerifyListeners
from bot.slack.payloads import buttons
from bot.slack.payloads.actions import Pressed, Submitted, click_of, click_of_modal, origin_of_press, words_of
from bot.slack.payloads.buttons import Pick, Unchecked
from bot.slack.payloads.messages import read_found
from graph.asking.approvals import ALLOW, DENY
from graph.turn import Choice, Turn


class ButtonListeners:
    """The listeners for our buttons and modals. Each commits before it returns; after an error Slack sends again."""

    def __init__(
        self, intake: Intake, access_check: AccessCheck, *, verify: VerifyListeners, flags: FlagListeners
    ) -> None:
        self._intake = intake
        self._access_check = access_check
        self._me = access_check.people.me
        self._verify = verify
        self._flags = flags
        self._table: ButtonTable = {
            buttons.OPTION: self._choose_option,
            buttons.JUST_ANSWER: self._just_answer,
            buttons.SOMETHING_ELSE: self._elaborate,
            buttons.LOOK_AT_CHANGE: self._look_at_change,
            buttons.ASK_AGAIN: self._ask_again,
            buttons.FOLLOW_UP: self._ask_offered,
            buttons.DENY_WISH: self._deny_wish,
            buttons.CHANGE: self._change_choice,
            buttons.RETRY: self._retry,
            buttons.LOOK_AGAIN: self._look_again,
            buttons.FEEDBACK: self._rate,
        }

    async def act(self, body: dict[str, Any]) -> None:
        """Handle a click on one of our buttons."""
        # A message that nobody has taken yet is answered privately, and a rating shows nothing.
        await self._access_check.take(body, self._table, for_anywhere=(buttons.LOOK_AGAIN, buttons.FEEDBACK))

    async def submit(self, body: dict[str, Any]) -> dict[str, Any]:
        """Store what a modal says. If it changed nothing, the modal stays open and says why."""
        return await self._access_check.submit(body, self._take_form)

    async def _look_again(self, pressed: Pressed) -> None:
        """Store the clicker's message with its current text, because none of it was stored before."""
        place, again = pressed.place, Unchecked.of_text(pressed.value)
        if again is None:
            return
        found = await self._access_check.message(place.channel, again.thread_ts, again.ts)
        message = read_found(found, place.channel, self._me, is_shared=again.whose == "shared") if found else None
        if found is None or message is None:
            self._access_check.tell(place, cards.NOT_FOUND)
        elif message.address.person != place.person:
            self._access_check.tell(place, cards.ELSEWHERE)
        elif found.edited and found.edited.ts:
            await self._intake.change(Change(kind="edit", message=message, changed_at=Ts(found.edited.ts)))
        else:
            await self._intake.receive(message)

    async def _take_form(self, sent: Submitted) -> str:
        match sent.id:
            case buttons.LOOK_AT_CHANGE:
                return await self._take_approval(sent)
            case buttons.TYPED_ANSWER:
                return await self._take_typed(sent)
            case _:
                return ""

    async def _take_typed(self, sent: Submitted) -> str:
        """Store the typed answer; return what is wrong with it, or nothing."""
        typed = words_of(sent.values, buttons.TYPED_ANSWER)
        if not typed:
            return cards.NOTHING_TYPED
        refused = await self._claim(self._click_of(sent, Choice(kind="text", value=typed, label=typed)))
        return cards.refusal_in_modal(refused) if refused else ""

    async def _take_approval(self, sent: Submitted) -> str:
        """Store the approval; return why it does not count, or nothing."""
        refused = await self._claim(self._click_of(sent, Choice(kind="option", value=ALLOW)))
        return cards.refusal(refused) if refused else ""

    def _click_of(self, sent: Submitted, choice: Choice) -> Click:
        return click_of_modal(sent, choice, at=ts_at(self._access_check.clock.now()))

    async def _choose_option(self, pressed: Pressed) -> None:
        token, option = buttons.token_and_named(pressed.value)
        await self._choose(pressed, click_of(pressed, token, Choice(kind="option", value=option)))

    async def _just_answer(self, pressed: Pressed) -> None:
        await self._choose(pressed, click_of(pressed, pressed.value, Choice(kind="just_answer")))

    async def _elaborate(self, pressed: Pressed) -> None:
        """Let a person answer in their own words."""
        await self._open_modal(pressed, pressed.value)

    async def _look_at_change(self, pressed: Pressed) -> None:
        """Show what may be approved. A click that needs no fingerprint is refused to everybody who may not approve."""
        origin = origin_of_press(pressed, pressed.value)
        click = click_of(pressed, pressed.value, Choice(kind="option", value=DENY))
        change = await self._intake.look_at_change(click)
        if isinstance(change, ClickRefused):
            self._access_check.tell(pressed.place, cards.refusal(change))
        else:
            await self._access_check.messenger.open_modal(pressed.trigger_id, cards.approval_modal(origin, change))

    async def _change_choice(self, pressed: Pressed) -> None:
        pick = Pick.of_text(pressed.value)
        if pick is None:
            # This is forged, and the intake tells the person so.
            await self._choose(pressed, click_of(pressed, pressed.value, Choice(kind="option")))
            return
        match pick.entry:
            case "option":
                choice = Choice(kind="option", value=pick.option_id)
                await self._choose(pressed, click_of(pressed, pick.token, choice, revision=pick.revision))
            case "something_else":
                await self._open_modal(pressed, pick.token, revision=pick.revision)
            case "ask_next_time":
                click = click_of(pressed, pick.token, Choice(kind="just_answer"), revision=pick.revision)
                refused = await self._intake.ask_next_time(click)
                said = cards.refusal(refused) if refused else cards.FORGOTTEN
                self._access_check.tell(pressed.place, said)
            case _:
                assert_never(pick.entry)

    async def _open_modal(self, pressed: Pressed, token: str, *, revision: int | None = None) -> None:
        origin = origin_of_press(pressed, token, revision=revision)
        await self._access_check.messenger.open_modal(pressed.trigger_id, cards.typed_modal(origin, pressed.blocks))

    async def _retry(self, pressed: Pressed) -> None:
        if not await self._intake.retry(pressed.value, pressed.place.thread_id, card=pressed.message):
            self._access_check.tell(pressed.place, cards.ELSEWHERE)

    async def _choose(self, pressed: Pressed, click: Click) -> None:
        await self._verify.confirm(click, pressed.place)
        if refused := await self._claim(click):
            self._access_check.tell(pressed.place, cards.refusal(refused))

    async def _claim(self, click: Click) -> ClickRefused | None:
        refused = await self._intake.choose(click)
        said = refused.reason if refused else "taken"
        structlog.get_logger().info("clarification_clicked", event_key=click.event_key, outcome=said)
        return refused

    async def _ask_offered(self, pressed: Pressed) -> None:
        """Ask the question as a message of the clicker, once for each answer that offers it."""
        place, answer = pressed.place, pressed.message
        question = storable(pressed.value)
        if not question.endswith("?"):
            # A button of an earlier version, whose value is no question.
            self._access_check.tell(place, cards.OFFER_OUT_OF_DATE)
            return
        named = sha256(question.encode()).hexdigest()[:16]
        message = Message(
            event_key=pressed.key,
            message_key=f"{answer.channel}:{answer.ts}:follow_up:{named}",
            address=place,
            turn=Turn(question=question, asker=place.person, addressed=True, is_follow_up=True),
        )
        asked = await self._intake.ask_clicked(message)
        structlog.get_logger().info("follow_up_clicked", event_key=message.event_key, is_first=asked.is_new)
        if asked.asker != place.person:
            self._access_check.tell(place, cards.asked_already(asked.asker))

    async def _deny_wish(self, pressed: Pressed) -> None:
        place = pressed.place
        refused = await self._intake.deny_wish(AnswerClicked(answer=pressed.message, address=place))
        structlog.get_logger().info("wish_denied", thread_id=place.thread_id, refused=refused and refused.reason)
        if refused and (said := cards.refusal_of_denial(refused)):
            self._access_check.tell(place, said)

    async def _rate(self, pressed: Pressed) -> None:
        verdict = pressed.value.partition("|")[0]
        if verdict not in ("good", "bad"):
            return
        answer, person = pressed.message, pressed.place.person
        rating = Rating(channel=answer.channel, message_ts=answer.ts, person=person, verdict=verdict)
        is_new = await self._intake.rate(rating)
        if verdict == "bad":
            await self._flags.ask(pressed)
        else:
            await self._flags.like(rating)
        if is_new:
            # Also below the modal: who closes it should still see that the rating counts.
            self._access_check.tell(pressed.place, cards.THANKS[verdict])
            await self._verify.rate(rating)

    async def _ask_again(self, pressed: Pressed) -> None:
        """Ask a superseded question again, once for each card, as a message of the clicker.

        The click is refused and returns the question: nobody can answer a superseded card.
        """
        place, card = pressed.place, pressed.message
        click = replace(click_of(pressed, pressed.value, Choice(kind="just_answer")), asks_again=True)
        refused = await self._intake.choose(click)
        if refused is None:
            return
        if refused.reason != "superseded" or not refused.question:
            self._access_check.tell(place, cards.refusal(refused))
            return
        turn = Turn(question=refused.question, asker=place.person, addressed=True, asks_again=click.token)
        key = f"{card.channel}:{card.ts}:again"
        asked = await self._intake.ask_clicked(
            Message(event_key=pressed.key, message_key=key, address=place, turn=turn)
        )
        if not asked.is_refused:
            self._access_check.update(pressed, cards.asked_again_card(pressed.blocks, asked.asker))
