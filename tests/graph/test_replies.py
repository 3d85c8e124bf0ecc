"""What a typed reply to a question back means."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph.asking.replies import LAST, gives_up, is_closing, place_of, read_reply, says_nothing, why_unclear
from graph.turn import Choice

QUESTION = "How many vacation days do I get?"
OPTIONS = [("a1", "Lisbon office"), ("b2", "Hamburg office"), ("c3", "Remote employees")]


def read(text: str) -> Choice | None:
    return read_reply(text, question=QUESTION, options=OPTIONS)


@pytest.mark.parametrize(
    "text",
    [
        "2", "2.", "2)", "#2", "(2)", "option 2", "Option 2 please", "number 2", "the second one", "second", "2nd",
        "I'd say the second one", "die zweite", "nummer 2", "Nr. 2", "<@U123> 2",
        "Hamburg office", "hamburg", "Hamburg!", "the Hamburg one", "for Hamburg please", "hambrug", "hamb",
        "I mean the Hamburg office", "I work in Hamburg", "what about Hamburg?", "vacation days in Hamburg",
        "no, Hamburg", "Hamburg, not Lisbon", "not Lisbon but Hamburg", "nicht Lisbon, sondern Hamburg",
        "neither Lisbon nor remote", "Is it the Hamburg one?", "Ich meine Hamburg", ":point_right: Hamburg",
    ],
)  # fmt: skip
def test_a_number_or_a_label_chooses_its_option(text: str) -> None:
    assert read(text) == Choice(kind="option", value="b2", label="Hamburg office")


@pytest.mark.parametrize("text", ["the last one", "3", "the third", "remote", "I am a remote employee", "das letzte"])
def test_the_last_option_may_be_named_as_such(text: str) -> None:
    assert read(text) == Choice(kind="option", value="c3", label="Remote employees")


@pytest.mark.parametrize(
    "text",
    ["just answer", "Just answer!", "whatever", "any", "either one", "doesn't matter", "I don't know", "no idea",
     "you choose", "egal", "keine Ahnung", "not sure"],
)  # fmt: skip
def test_a_person_may_leave_it_to_the_bot(text: str) -> None:
    assert read(text) == Choice(kind="just_answer")


@pytest.mark.parametrize(
    "text",
    ["I'm not sure", "hmm not sure", "dunno", "idk which", "I really don't know which one it is", "no idea, sorry",
     "honestly not a clue", "can't say", "bin mir nicht sicher", "ich weiß es leider nicht", "não sei", "tanto faz",
     "You decide please"],
)  # fmt: skip
def test_who_does_not_know_leaves_it_to_the_bot(text: str) -> None:
    assert read(text) == Choice(kind="just_answer")


@pytest.mark.parametrize(
    "text",
    ["never mind", "Stop", "stop it please", "never mind, found it", "sorted it myself, thanks!", "no longer needed",
     "it doesn't matter any more", "hat sich erledigt", "schon gut, danke", "esquece", "<@U123> stop"],
)  # fmt: skip
def test_a_person_may_give_up(text: str) -> None:
    assert gives_up(text)
    assert read(text) is None


@pytest.mark.parametrize(
    "text",
    ["cancel my vacation", "stop in Hamburg", "thanks", "don't stop, Hamburg", "I forget it every year: Hamburg"],
)
def test_what_says_more_does_not_give_up(text: str) -> None:
    assert not gives_up(text)


@pytest.mark.parametrize(
    ("text", "why"),
    [("4", "no_such_option"), ("option 9", "no_such_option"), ("0", "no_such_option"), ("3", None), ("last", None),
     ("what do you mean?", "asks_what"), ("which ones are there", "asks_what"), ("?", "asks_what"), ("...", None),
     ("none of them", "rejects_all"), ("no, none of those", "rejects_all"), ("something else", "rejects_all"),
     ("ja", "agrees"), ("ok, sure", "agrees"),
     ("Hamburg", None), ("part-time", None), ("3 days", None), ("neither Lisbon nor a desk", None)],
)  # fmt: skip
def test_why_a_reply_leaves_the_question_open(text: str, why: str | None) -> None:
    assert why == why_unclear(text, options=3)


LIGHTS = {"a1": frozenset({"light", "lamp", "dim", "5"}), "b2": frozenset({"router", "antenna", "light-year"})}


@pytest.mark.parametrize(
    ("text", "chosen"),
    [
        ("I mean the one for the lights", "a1"),
        ("the lamp thing", "a1"),
        ("the one with the antennas", "b2"),
        ("dimming lamps", "a1"),
    ],
)
def test_a_word_that_only_one_options_passages_hold_chooses_it(text: str, chosen: str) -> None:
    options = [("a1", "Lumen Hub"), ("b2", "Pine Router")]
    reply = read_reply(text, question="How do I reset it?", options=options, telling=LIGHTS)
    assert ("option", chosen) == (reply and reply.kind, reply and reply.value)


@pytest.mark.parametrize("text", ["the lights in my kitchen", "not the lamp", "lights or antennas", "reset it", "5"])
def test_words_that_say_more_or_speak_of_several_choose_nothing(text: str) -> None:
    options = [("a1", "Lumen Hub"), ("b2", "Pine Router")]
    reply = read_reply(text, question="How do I reset it?", options=options, telling=LIGHTS)
    assert "text" == (reply and reply.kind)


@pytest.mark.parametrize(("typed", "chosen"), [("2", "a"), ("1", "b"), ("option 2", "b"), ("the first", "a")])
def test_a_number_that_is_part_of_a_label_wins_over_the_place_of_another(typed: str, chosen: str) -> None:
    reply = read_reply(typed, question="When does it begin?", options=[("a", "Shift 2"), ("b", "Shift 1")])

    assert chosen == (reply and reply.value)


def test_a_label_that_is_a_number_wins_over_the_place_of_another() -> None:
    reply = read_reply("2", question="Where is the gate?", options=[("b", "2"), ("a", "1")])
    assert reply == Choice(kind="option", value="b", label="2")


def test_more_than_nine_options_have_numbers_too() -> None:
    options = [(str(number), f"Team {chr(64 + number)}") for number in range(1, 13)]
    reply = read_reply("option 12", question="Who leads the team?", options=options)
    assert reply == Choice(kind="option", value="12", label="Team L")


@pytest.mark.parametrize(
    "text",
    ["both", "Lisbon and Hamburg", "not Lisbon", "the Madrid office", "I work in Hamburg but only as a contractor",
     "not only Hamburg", "no Hamburg", "neither Lisbon nor a desk", "I don't know Hamburg",
     "4", "the new warehouse in Gdansk", "neither", "all of them", "part-time"],
)  # fmt: skip
def test_anything_else_is_the_person_s_own_words(text: str) -> None:
    assert read(text) == Choice(kind="text", value=text, label=text)


@pytest.mark.parametrize(
    "text",
    [
        "How do I reset my VPN password?",
        "who approves travel expenses",
        "Where can I park in Hamburg on Sundays?",
        "Tell me about the travel policy",
        "Wie setze ich mein Passwort zurück?",
        "never mind",
        "thanks!",
    ],
)
def test_a_question_with_a_topic_of_its_own_is_a_new_one(text: str) -> None:
    assert read(text) is None


def test_a_question_about_what_is_on_the_table_is_an_answer() -> None:
    text = "How many vacation days in the Lisbon or Hamburg office?"
    assert read(text) == Choice(kind="text", value=text, label=text)


PLANS = [("t", "Team"), ("e", "Enterprise"), ("f", "Free")]


@pytest.mark.parametrize(
    "text",
    ["all but the last", "the last but one", "other than the first", "the one after the first", "before the last",
     "not the first", "the first few", "alle außer der letzten", "die nach der ersten", "todos menos o último",
     "antes do último", "all but Free", "anything but Team", "alle außer Team", "todos exceto Free"],
)  # fmt: skip
def test_a_place_or_a_label_that_is_excluded_or_only_a_mark_is_not_chosen(text: str) -> None:
    assert read_reply(text, question="What does it cost?", options=PLANS) == Choice(kind="text", value=text, label=text)


@pytest.mark.parametrize(
    "text",
    ["neither the first nor the last", "neither 1 nor 3", "weder die erste noch die dritte",
     "nem o primeiro nem o último", "all but Team and Free", "the second, not the first"],
)  # fmt: skip
def test_the_only_option_that_is_left_is_chosen(text: str) -> None:
    assert Choice(kind="option", value="e", label="Enterprise") == read_reply(text, question="What?", options=PLANS)


def test_a_label_may_have_a_word_that_else_rejects() -> None:
    options = [("a", "All except Lisbon"), ("l", "Lisbon")]

    assert Choice(kind="option", value="a", label="All except Lisbon") == read_reply(
        "except Lisbon", question="Who may park?", options=options
    )


def test_words_that_all_labels_share_choose_nothing() -> None:
    labels = [("a", "Atlas limits"), ("b", "Beacon limits")]
    reply = read_reply("limits", question="What is the upload limit?", options=labels)
    assert reply == Choice(kind="text", value="limits", label="limits")


def test_a_label_that_is_a_number_wins_over_the_position() -> None:
    labels = [("a", "Version 7"), ("b", "Version 8")]
    assert read_reply("version 7", question="Which ports?", options=labels) == Choice(
        kind="option", value="a", label="Version 7"
    )


@pytest.mark.parametrize(
    "text",
    ["I don´t work in Porto", "I don‘t work in Porto",
     "not porto", "I'm not in Porto", "I don't work in Porto", "nicht Porto", "no, not the Porto office", "não Porto",
     "all but Porto", "anything but Porto", "except Porto", "other than Porto", "alle außer Porto", "exceto Porto",
     "Hamburg instead of Porto", "não é Porto, mas Hamburg",
     "not 1", "not the first one", "no, not the first", "I don't want the first", "nicht die erste", "não o primeiro",
     "all but the first", "everything except 1", "other than the first", "alles außer der ersten",
     "todos menos o primeiro", "the last, not the first", "not the first but the second",
     "nicht die erste, sondern die zweite", "o segundo, não o primeiro", "2 rather than 1"],
)  # fmt: skip
def test_of_two_options_the_one_that_is_not_rejected_is_chosen(text: str) -> None:
    labels = [("p", "Porto"), ("h", "Hamburg")]
    reply = read_reply(text, question="Where do you work, in which office?", options=labels)
    assert reply == Choice(kind="option", value="h", label="Hamburg")


OFFICES = [("p", "Porto"), ("h", "Hamburg"), ("l", "Lyon")]


@pytest.mark.parametrize(
    "text",
    ["statt Porto Hamburg", "instead of Porto Hamburg", "rather than Porto Hamburg", "em vez do Porto Hamburg",
     "besides Porto also Hamburg", "besides Porto and Hamburg", "nicht 1 2", "not 1 2", "not Porto Hamburg",
     "not the first Hamburg", "all but Porto, Hamburg", "I don't think it is Porto", "not maybe 1", "not sure it is 1",
     "the first not", "Porto não", "o primeiro não", "Porto or not"],
)  # fmt: skip
def test_a_rejection_that_may_name_what_is_meant_chooses_nothing(text: str) -> None:
    assert Choice(kind="text", value=text, label=text) == read_reply(text, question="Which office?", options=OFFICES)


@pytest.mark.parametrize(
    ("text", "chosen"),
    [("if not 1 then 2", "h"), ("not 1 maybe 2", "h"), ("not 1 rather 2", "h"), ("not 1 it is 2", "h"),
     ("not 1 I mean 2", "h"), ("nicht 1 lieber 2", "h"), ("if not Porto then Hamburg", "h"),
     ("not Porto, Hamburg", "h"),
     ("Porto não, Hamburg", "h"), ("neither Porto, nor Hamburg", "l"), ("not Porto or Hamburg", "l"),
     ("none other than Porto", "p"), ("no other than 1", "p"), ("nothing but Porto", "p"),
     ("niemand anders als 1", "p")],
)  # fmt: skip
def test_a_rejection_ends_where_another_option_is_proposed(text: str, chosen: str) -> None:
    reply = read_reply(text, question="Which office?", options=OFFICES)
    assert ("option", chosen) == (reply and reply.kind, reply and reply.value)


@pytest.mark.parametrize(
    ("text", "chosen"),
    [("Porto não", "h"), ("the first not", "h"), ("o primeiro não", "h"), ("none other than Porto", "p"),
     ("no other than Porto", "p"), ("besides Porto", "p"), ("Porto or not", "Porto or not")],
)  # fmt: skip
def test_of_two_options_a_denial_behind_rejects_what_stands_before(text: str, chosen: str) -> None:
    reply = read_reply(text, question="Which office?", options=OFFICES[:2])
    assert chosen == (reply and reply.value)


@pytest.mark.parametrize(
    "text",
    ["why not Porto?", "why not 1?", "Isn't it Porto?", "isn't it Porto", "isn't it the first one",
     "neither Porto nor Hamburg", "neither 1 nor 2", "not sure if Porto", "not sure about the first", "not only 1",
     "not before the first", "not 4"],
)  # fmt: skip
def test_a_doubt_rejects_nothing(text: str) -> None:
    reply = read_reply(text, question="Which office?", options=[("p", "Porto"), ("h", "Hamburg")])
    assert reply is None or reply.kind == "text"


@pytest.mark.parametrize(
    "text",
    [":+1:", "👍", "?", "...", "<@U123>", "what?", "Huh?", "no", "neither", "none of them", "keine davon", "hmm",
     "hmm good question", "Good question!", "let me think", "ok", "yes", "uhm, wait"],
)  # fmt: skip
def test_some_replies_say_nothing(text: str) -> None:
    assert says_nothing(text)
    assert not is_closing(text)
    choice = read(text)
    assert choice is not None
    assert choice.kind == "text"


@pytest.mark.parametrize(
    "text", ["hmm, Hamburg", "2", "no, Hamburg", "both", "what about Hamburg?", "not sure", "thanks", "part-time"]
)
def test_what_says_something_is_not_left_out(text: str) -> None:
    assert not says_nothing(text)


@pytest.mark.parametrize(
    "text",
    ["thanks", "Thank you!", "ok thanks a lot", "no thanks", "cancel", "cancel that please", "never mind, thanks",
     "nevermind", "forget it", "vergiss es", "Vielen Dank!", "<@U123> stop", "thanks :pray:"],
)  # fmt: skip
def test_thanks_and_taking_back_close_the_question(text: str) -> None:
    assert is_closing(text)
    assert not says_nothing(text)
    assert read(text) is None


@pytest.mark.parametrize("text", ["thanks, Hamburg", "cancel my vacation", "stop in Hamburg", "Hamburg"])
def test_an_answer_with_thanks_closes_nothing(text: str) -> None:
    assert not is_closing(text)


@given(st.text(st.characters(exclude_characters="<:"), max_size=60))
def test_nothing_typed_is_swallowed(text: str) -> None:
    choice = read(text)
    assert choice is None or choice.kind != "text" or choice.value.strip() == text.strip()


@given(st.text(max_size=60))
def test_nothing_is_put_into_what_is_typed(text: str) -> None:
    choice = read(text)
    assert choice is None or choice.kind != "text" or all(piece in text for piece in choice.value.split())


@pytest.mark.parametrize("text", ["from 20:00-22:30", "at 10:30:00", "the ratio of 1:50:3"])
def test_times_are_no_emojis(text: str) -> None:
    choice = read(text)
    assert choice is not None
    assert text == choice.value


@pytest.mark.parametrize("text", ["at noon :+1:", ":100: at noon", "<@U123> at noon :8ball:", ":flag-de: at noon"])
def test_emojis_and_mentions_are_no_part_of_a_reply(text: str) -> None:
    choice = read(text)
    assert choice is not None
    assert "at noon" == choice.value


@pytest.mark.parametrize(
    ("said", "place"),
    [("1)", 1), ("(2)", 2), ("#3", 3), ("the first", 1), ("and the last one?", LAST), ("question 2", 2), ("second", 2),
     ("the third point, please", 3), ("die zweite Frage", 2), ("o último ponto", LAST),
     ("No, I meant the second one.", 2),
     ("17%", None), ("+1", None), ("from 14", None), ("Her second", None), ("The third what?", None), ("123", None),
     ("So how did they get to 28?", None), ("the first week", None), ("the last", LAST), ("", None)],
)  # fmt: skip
def test_a_place_is_named_by_what_says_nothing_else(said: str, place: int | None) -> None:
    assert place == place_of(said)


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("the first wasn't right", None), ("2 doesn't apply", None), ("The second one is not what I mean", "t"),
        ("Option 1 is not it", "e"), ("the last one isn't it", "t"), ("der zweite ist es nicht", "t"),
        ("Team is not it", "e"), ("o primeiro não é", "e"), ("Team but not sure", "t"),
    ],
)  # fmt: skip
def test_what_is_rejected_behind_its_name_is_not_chosen(text: str, left: str | None) -> None:
    chosen = read_reply(text, question="What does it cost?", options=PLANS[:2])

    assert left == (chosen.value if chosen and chosen.kind == "option" else None)


def test_of_a_long_reply_the_beginning_and_the_end_are_read() -> None:
    def seconds(length: int) -> float:
        begun = time.process_time()
        read_reply("not the first, " * length, question="What does it cost?", options=PLANS)
        return time.process_time() - begun

    assert min(seconds(8_000) for _ in range(3)) < 8 * min(seconds(800) for _ in range(3))
