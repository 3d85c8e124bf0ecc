"""Two sentences that say the same except for a negation contradict each other; other "no"s and "not"s deny nothing."""

import time

import pytest

from graph.answer.negation import asks_what_is_not, denies, negates
from graph.patterns import APOSTROPHES

_RULE = "in the northern storage hall of the harbour"


def test_the_time_to_compare_long_sentences_grows_with_their_length() -> None:
    def seconds(length: int) -> float:
        begun = time.process_time()
        denies("unpaid not " * length, ["paid words " * length])
        return time.process_time() - begun

    # If each word had both sentences read again, eight times the length would take sixty-four times as long.
    assert min(seconds(800 + once) for once in range(3)) < 30 * min(seconds(100 + once) for once in range(3))


@pytest.mark.parametrize(
    ("one", "other", "contradicting"),
    [
        ("Guests pay the fee by 5 pm at the desk.", "Guests pay the fee no later than 5 pm at the desk.", False),
        ("Guests pay the fee later than 5 pm at the desk.", "Guests pay no later than 5 pm the fee at the desk.", True),
        ("Guests bring up to 5 bags on board.", "Guests bring not more than 5 bags on board.", False),
        ("Guests bring more than 5 bags on board.", "Guests bring no more than 5 bags on board.", True),
        ("Guests bring at least 5 bags on board.", "Guests bring no more than 5 bags on board.", True),
        ("Guests bring over 5 bags on board.", "Guests bring not more than 5 bags on board.", True),
        ("Guests pay the fee after 5 pm at the desk.", "Guests pay the fee no later than 5 pm at the desk.", True),
        ("Gäste bringen über 5 Taschen an Bord.", "Gäste bringen nicht mehr als 5 Taschen an Bord.", True),
        ("Guests bring at most 5 bags on board.", "Guests bring no less than 5 bags on board.", True),
        ("Guests bring at least 5 bags on board.", "Guests bring no less than 5 bags on board.", False),
        ("The office is at 5 Main Street.", "The office is at no. 5 Main Street.", False),
        ("The fee is refunded within 14 days.", "The fee is refunded within 14 days without exception.", False),
        (
            "The fee is refunded, with one exception, in 14 days.",
            "The fee is refunded without exception in 14 days.",
            True,
        ),
        ("The bill is paid without delay at the desk.", "The bill is paid at the desk.", False),
        ("Managers and staff may book rooms.", "Not only managers, staff too may book rooms.", False),
        ("Only managers may book rooms.", "Not only managers may book rooms.", True),
        ("You pay the fee whether or not you come.", "You pay the fee if you come.", False),
        (f"It is impossible to park {_RULE}.", f"It is not possible to park {_RULE}.", False),
        (f"It is impossible to park {_RULE}.", f"It is possible to park {_RULE}.", True),
        (f"It is not impossible to park {_RULE}.", f"It is possible to park {_RULE}.", False),
        ("Interns get unpaid leave in summer.", "Interns get paid leave in summer.", True),
        ("Interns get unpaid leave in summer.", "Interns get leave in summer that is not paid.", False),
        ("Interns lack access to the vault.", "Interns have no access to the vault.", False),
        ("Interns lack access to the vault.", "Interns have access to the vault.", True),
        (f"Dogs are forbidden {_RULE}.", f"Dogs are not allowed {_RULE}.", False),
        (f"Dogs are forbidden {_RULE}.", f"Dogs are allowed {_RULE}.", True),
        (f"Dogs are not forbidden {_RULE}.", f"Dogs are allowed {_RULE}.", False),
        (f"Dogs are not forbidden {_RULE}.", f"Dogs are forbidden {_RULE}.", True),
        (f"Dogs are never forbidden {_RULE}.", f"Dogs are allowed {_RULE}.", False),
        (f"Dogs are not strictly forbidden {_RULE}.", f"Dogs are allowed {_RULE}.", False),
        (f"Dogs are no longer forbidden {_RULE}.", f"Dogs are forbidden {_RULE}.", True),
        (f"Do not leave forbidden goods {_RULE}.", f"Leave forbidden goods {_RULE}.", True),
        ("The lift can be used with a key.", "The lift can't be used without a key.", False),
        ("The lift can be used without a key.", "The lift can't be used without a key.", True),
        ("The lift can't be used with a key.", "The lift can't be used without a key.", True),
        (f"Guests may walk {_RULE}.", f"Guests may not walk {_RULE} without a guide.", True),
        ("Visitors may walk in.", "Visitors may not just walk in.", True),
        ("Managers approve trips over 500 EUR.", "Managers may not just approve trips over 500 EUR.", True),
        ("Children may use the pool.", "Children may not merely use the pool.", True),
        ("Children may use the pool and the gym.", "Children may not only use the pool but also the gym.", False),
        ("Guests may use the pool.", "Guests, not just members, may use the pool.", False),
        ("Kinder dürfen im Becken der Halle baden.", "Kinder dürfen nicht allein im Becken der Halle baden.", True),
        ("The plan improved the process.", "The plan proved the process.", False),
        ("Pay less than the fee.", "Pay unless the fee is less.", False),
        ("Inform the desk in the form.", "Send the desk the form.", False),
        ("Bonuses are not paid in the first year.", "Bonuses are paid in the first year.", True),
        ("There is no fee for guests.", "There is a fee for guests.", True),
        ("Nobody signs the long list at the desk.", "Everybody signs the long list at the desk.", True),
        ("You cannot cancel the trip.", "You can cancel the trip.", True),
        ("The trip doesn't include lunch.", "The trip includes lunch.", True),
        ("No 5 EUR fee is charged at the desk.", "A 5 EUR fee is charged at the desk.", True),
        ("Die Gebühr zahlen Gäste bis 17 Uhr.", "Die Gebühr zahlen Gäste nicht später als 17 Uhr.", False),
        ("Die Gebühr zahlen Gäste später als 17 Uhr.", "Die Gebühr zahlen Gäste nicht später als 17 Uhr.", True),
        ("Gäste bringen mehr als 5 Taschen mit.", "Gäste bringen nicht mehr als 5 Taschen mit.", True),
        ("Gäste bringen keine Taschen mehr mit.", "Gäste bringen Taschen mit.", True),
        ("Leiter und Helfer buchen Räume.", "Nicht nur Leiter, auch Helfer buchen Räume.", False),
        ("Nur Leiter buchen Räume.", "Nicht nur Leiter buchen Räume.", True),
        ("Die Gebühr wird ohne Ausnahme erstattet.", "Die Gebühr wird erstattet.", False),
        ("Parken ist im Hof unmöglich.", "Parken ist im Hof nicht möglich.", False),
        ("Parken ist im Hof unmöglich.", "Parken ist im Hof möglich.", True),
        ("Hunde sind im Hof verboten.", "Hunde sind im Hof nicht erlaubt.", False),
        ("Hunde sind im Hof verboten.", "Hunde sind im Hof erlaubt.", True),
        ("Praktikanten erhalten unbezahlten Urlaub.", "Praktikanten erhalten bezahlten Urlaub.", True),
        ("Boni werden nicht gezahlt.", "Boni werden gezahlt.", True),
        ("Für Gäste gibt es keine Gebühr.", "Für Gäste gibt es eine Gebühr.", True),
        ("Não só gerentes, também estagiários reservam salas.", "Gerentes e estagiários reservam salas.", False),
        ("Só gerentes reservam salas.", "Não só gerentes reservam salas.", True),
        ("Cães são proibidos no pátio.", "Cães são permitidos no pátio.", True),
        ("A taxa não é devolvida.", "A taxa é devolvida.", True),
        ("A taxa para sócios é devolvida no balcão.", "A taxa para sócios é devolvida ao balcão.", False),
    ],
)
def test_only_a_true_negation_contradicts(one: str, other: str, *, contradicting: bool) -> None:
    assert [contradicting, contradicting] == [denies(one, [other]), denies(other, [one])]


@pytest.mark.parametrize("mark", APOSTROPHES)
def test_an_apostrophe_negates_whatever_types_it(mark: str) -> None:
    assert negates(f"You don{mark}t get a bonus.")
    assert not negates(f"The don{mark} t-shirt is yours.")


@pytest.mark.parametrize(
    ("question", "is_asked"),
    [
        ("What must we NOT fix for free?", True), ("Which bikes don't you take?", True), ("what can't I bring", True),
        ("Was darf nicht in den Keller?", True), ("O que é que não se pode fumar?", True),
        ("What is forbidden in the yard?", True), ("What do I do if the gate does not open?", False),
        ("Which gate is the one that does not open?", False), ("I can't find the slip, who writes it?", False),
        ("What is fixed for free?", False), ("Why is it not open?", False),
        ("Was the invoice not paid?", False), ("Why was my claim not paid?", False),
        ("What do I do with a laptop I do not need?", False), ("Tell me of guests who do not eat here.", False),
        ("Where is the report of the car which does not start?", False), ("Por que não posso entrar?", False),
        ("Qual é o portão que não abre?", False), ("Ok, and what may we never bring?", True),
        ("Quantas caixas não cabem?", True),
    ],
)  # fmt: skip
def test_a_question_may_ask_for_what_is_not_so(question: str, is_asked: bool) -> None:
    assert asks_what_is_not(question) == is_asked
